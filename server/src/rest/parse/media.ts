// Content negotiation: what the client accepts, in its order of preference, and what the service can produce.
import { notAcceptable } from "../errors.ts";

export type Format = "json" | "object" | "csv";

export interface Media {
  readonly format: Format;
  readonly stripNulls: boolean;
  readonly contentType: string;
}

const JSON_MEDIA: Media = {
  format: "json",
  stripNulls: false,
  contentType: "application/json; charset=utf-8",
};

/** Throws PGRST107 when nothing acceptable can be produced. */
export function negotiate(accept: string | null): Media {
  const wanted = (accept?.trim() || "*/*").split(",").map(parseMediaType);
  const byQuality = wanted.toSorted((a, b) => b.quality - a.quality);
  for (const { type, stripNulls } of byQuality) {
    const media = produce(type, stripNulls);
    if (media) return media;
  }
  throw notAcceptable(byQuality.map(({ text }) => text));
}

function produce(type: string, stripNulls: boolean): Media | undefined {
  switch (type) {
    case "*/*":
    case "application/json":
      return JSON_MEDIA;
    case "text/csv":
      return { format: "csv", stripNulls: false, contentType: "text/csv; charset=utf-8" };
    case "application/vnd.pgrst.object+json":
    case "application/vnd.pgrst.object":
      return vendor("object", stripNulls);
    case "application/vnd.pgrst.array+json":
    case "application/vnd.pgrst.array":
      return stripNulls ? vendor("array", true) : JSON_MEDIA;
  }
}

const vendor = (shape: "object" | "array", stripNulls: boolean): Media => ({
  format: shape === "object" ? "object" : "json",
  stripNulls,
  contentType: `application/vnd.pgrst.${shape}+json${stripNulls ? ";nulls=stripped" : ""}; charset=utf-8`,
});

function parseMediaType(text: string) {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const quality = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1);
  return {
    text: [type, ...parameters.filter((parameter) => !parameter.startsWith("q="))].join(";"),
    type,
    stripNulls: parameters.includes("nulls=stripped"),
    quality: Number.isNaN(quality) ? 0 : quality,
  };
}
