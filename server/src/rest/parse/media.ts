// Content negotiation: what the client accepts, in its order of preference, and what the service can produce for its request.
import { notAcceptable } from "../errors.ts";

export interface Media {
  /**
   * `raw`: a function's single value unchanged, text or bytes. `geojson` needs PostGIS; without it PostgreSQL reports the
   * error.
   */
  readonly format: "json" | "object" | "csv" | "geojson" | "raw";
  readonly stripNulls: boolean;
  readonly contentType: string;
  /** Returns PostgreSQL's plan for the answer instead of the answer. */
  readonly plan: PlanOptions | undefined;
}

export interface PlanOptions {
  readonly format: "json" | "text";
  readonly options: readonly string[];
}

/** One of the Accept header's types, with the parameters that PostgREST reads. */
export interface Accepted {
  readonly type: string;
  readonly stripNulls: boolean;
  readonly plan: (PlanOptions & { readonly of: string; readonly ofStripped: boolean }) | undefined;
}

/** What a request may be answered with besides JSON and CSV. */
export interface Producible {
  readonly plan: boolean;
  /** The media type of a function's result, if it has one and nothing is selected from it. */
  readonly raw: string | undefined;
}

const UTF8 = "; charset=utf-8";
const OBJECT = "application/vnd.pgrst.object+json";
const ARRAY = "application/vnd.pgrst.array+json";
const PLAN = "application/vnd.pgrst.plan";
const PLAN_OPTIONS = ["analyze", "verbose", "settings", "buffers", "wal"];

export function parseAccept(accept: string | null): readonly Accepted[] {
  if (accept === null || accept === "*/*") return [ANYTHING];
  const wanted = (accept.trim() || "*/*").split(",").map(parseMediaType);
  return wanted.toSorted((a, b) => b.quality - a.quality).map(({ accepted }) => accepted);
}

const ANYTHING: Accepted = { type: "*/*", stripNulls: false, plan: undefined };

/** Throws PGRST107 when nothing acceptable can be produced. */
export function negotiate(accepted: readonly Accepted[], producible: Producible): Media {
  for (const one of accepted) {
    const media = produce(one, producible);
    if (media) return media;
  }
  throw notAcceptable(accepted.map(mimeOf));
}

/** Throws unless the client accepts the root's OpenAPI document. */
export function negotiateDocument(accepted: readonly Accepted[]): void {
  const types = ["application/openapi+json", "application/json", "*/*"];
  if (!accepted.some(({ type }) => types.includes(type))) throw notAcceptable(accepted.map(mimeOf));
}

const JSON_MEDIA: Media = {
  format: "json",
  stripNulls: false,
  contentType: `application/json${UTF8}`,
  plan: undefined,
};

function produce(accepted: Accepted, producible: Producible): Media | undefined {
  const { type, stripNulls, plan } = accepted;
  if (plan) {
    const inner =
      producible.plan && produce({ type: plan.of, stripNulls: plan.ofStripped, plan: undefined }, producible);
    return inner ? { ...inner, contentType: `${mimeOf(accepted)}${UTF8}`, plan } : undefined;
  }
  if (producible.raw !== undefined && type === producible.raw) {
    return { format: "raw", stripNulls: false, contentType: rawContentType(type), plan: undefined };
  }
  switch (type) {
    case "*/*":
    case "application/json":
      return JSON_MEDIA;
    case "text/csv":
      return { ...JSON_MEDIA, format: "csv", contentType: `text/csv${UTF8}` };
    case "application/geo+json":
      return { ...JSON_MEDIA, format: "geojson", contentType: `application/geo+json${UTF8}` };
    case OBJECT:
      return { ...JSON_MEDIA, format: "object", stripNulls, contentType: `${mimeOf(accepted)}${UTF8}` };
    case ARRAY:
      return { ...JSON_MEDIA, stripNulls, contentType: `${mimeOf(accepted)}${UTF8}` };
  }
  return undefined;
}

/** PostgREST adds a charset to the text types it knows itself. */
const rawContentType = (type: string): string =>
  ["text/plain", "text/xml", "application/json", "application/geo+json"].includes(type)
    ? `${type}${UTF8}`
    : type;

function mimeOf({ type, stripNulls, plan }: Accepted): string {
  if (plan) {
    const options = plan.options.length > 0 ? `; options=${plan.options.join("|")}` : "";
    const of = mimeOf({ type: plan.of, stripNulls: plan.ofStripped, plan: undefined });
    return `${PLAN}+${plan.format}; for="${of}"${options}`;
  }
  return stripNulls ? `${type};nulls=stripped` : type;
}

function parseMediaType(text: string) {
  const [name = "", ...parameters] = text.split(";").map((part) => part.trim());
  const value = (key: string) =>
    parameters.find((part) => part.toLowerCase().startsWith(`${key}=`))?.slice(key.length + 1);
  const quality = Number(value("q") ?? 1);
  return {
    quality: Number.isNaN(quality) ? 0 : quality,
    accepted: readMediaType(
      name.toLowerCase(),
      value("nulls") === "stripped",
      value("for"),
      value("options"),
    ),
  };
}

function readMediaType(name: string, stripped: boolean, of = "application/json", options = ""): Accepted {
  if (name === PLAN || name === `${PLAN}+text` || name === `${PLAN}+json`) {
    const [ofName = "", ...ofParameters] = of.replaceAll('"', "").split(";");
    const inner = readMediaType(ofName.trim().toLowerCase(), ofParameters.join().includes("nulls=stripped"));
    const given = options.replaceAll('"', "").split("|");
    const plan = {
      format: name.endsWith("+json") ? "json" : "text",
      options: PLAN_OPTIONS.filter((option) => given.includes(option)),
      of: inner.type,
      ofStripped: inner.stripNulls,
    } as const;
    return { type: name, stripNulls: false, plan };
  }
  const type = name === "application/vnd.pgrst.object" || name === OBJECT ? OBJECT : name;
  const isArray = type === ARRAY || type === "application/vnd.pgrst.array";
  if (isArray && !stripped) return { type: "application/json", stripNulls: false, plan: undefined };
  return {
    type: isArray ? ARRAY : type,
    stripNulls: stripped && (isArray || type === OBJECT),
    plan: undefined,
  };
}
