// What a client may request of a picture, and the resulting size: storage-api's options with imgproxy's arithmetic. Pure.
import { z } from "zod";

/** The maximum requested pixels for the longer side. */
const LARGEST = 2000;

export type Format = "jpeg" | "png" | "webp" | "avif" | "gif";

const pixels = z.coerce.number().int().min(0);

export const transformation = z.object({
  width: pixels.optional(),
  height: pixels.optional(),
  resize: z.enum(["cover", "contain", "fill"]).optional(),
  format: z.enum(["origin", "avif", "webp"]).optional(),
  quality: z.coerce.number().int().min(20).max(100).optional(),
});

export type Transformation = z.infer<typeof transformation>;

export interface Size {
  readonly width: number;
  readonly height: number;
}

const clamp = (length: number) => Math.min(Math.max(length, 1), LARGEST);

/** A transformation as text for a signed address; empty where nothing is transformed. */
export function describe(options: Transformation): string {
  return parts(options, (resize) => `resize:${resize}`).join(",");
}

/** The same in imgproxy's words, for the `x-transformations` header. */
export function inImgproxysWords(options: Transformation): string {
  const words = { cover: "fill", contain: "fit", fill: "force" };
  return parts(options, (resize) => `resizing_type:${words[resize]}`).join(",");
}

function parts(
  { width, height, resize = "cover", quality, format }: Transformation,
  resizing: (resize: "cover" | "contain" | "fill") => string,
): string[] {
  return [
    ...(height ? [`height:${clamp(height)}`] : []),
    ...(width ? [`width:${clamp(width)}`] : []),
    ...(width || height ? [resizing(resize)] : []),
    ...(quality ? [`quality:${quality}`] : []),
    ...(format && format !== "origin" ? [`format:${format}`] : []),
  ];
}

/** Parses what `describe` wrote. The token also carries `format` separately, since `origin` is not part of the text. */
export function fromDescription(text: string, format: string | undefined): Transformation {
  const options = Object.fromEntries(
    text.split(",").map((part) => part.split(":", 2) as [string, string | undefined]),
  );
  return transformation.parse({
    ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
    ...(format ? { format } : {}),
  });
}

/**
 * The size to scale a picture to, and what to crop from its middle. As imgproxy without `enlarge`: nothing is enlarged, and a picture
 * that would have to be keeps the requested proportions.
 */
export function sizes(source: Size, { width = 0, height = 0, resize = "cover" }: Transformation) {
  const [wide, high] = [width && clamp(width), height && clamp(height)];
  let across = wide ? source.width / wide : 1;
  let down = high ? source.height / high : 1;
  if (resize !== "fill") {
    if (!wide) across = down;
    else if (!high) down = across;
    else across = down = resize === "contain" ? Math.max(across, down) : Math.min(across, down);
  }
  if (across < 1) [across, down] = [1, down / across];
  if (down < 1) [across, down] = [across / down, 1];
  const scaled = { width: whole(source.width / across), height: whole(source.height / down) };
  const cut =
    resize === "cover"
      ? {
          width: Math.min(wide || scaled.width, scaled.width),
          height: Math.min(high || scaled.height, scaled.height),
        }
      : scaled;
  return { scaled, cut };
}

const whole = (length: number) => Math.max(1, Math.round(length));

/** Formats that are not converted if the picture is already stored in them. */
const KEPT: ReadonlySet<string> = new Set(["jpeg", "png", "webp", "avif", "gif"]);

/** The quality drawn instead of the requested one: nobody sees a smaller step, and each would be another picture to make. */
export const shownQuality = (requested: number) => Math.round(requested / 10) * 10;

/**
 * The format of the answer. AVIF takes five times as long as WebP (1.1 s of processor time for 2,000 pixels), which
 * stands in for it unless the bucket allows it. By default a browser that accepts WebP gets it, and one that accepts AVIF gets that if the bucket allows
 * it (`avif_autodetection`). `origin` switches this off.
 */
export function formatFor(
  stored: string,
  asked: Transformation["format"],
  accept: string,
  bucketLikesAvif: boolean,
): Format {
  const format = negotiatedFormat(stored, asked, accept, bucketLikesAvif);
  return format === "avif" && !bucketLikesAvif ? "webp" : format;
}

function negotiatedFormat(
  stored: string,
  asked: Transformation["format"],
  accept: string,
  bucketLikesAvif: boolean,
): Format {
  if (asked === "avif" || asked === "webp") return asked;
  if (asked === undefined && stored !== "gif") {
    if (bucketLikesAvif && accept.includes("image/avif")) return "avif";
    if (accept.includes("image/webp")) return "webp";
  }
  return KEPT.has(stored) ? (stored as Format) : "jpeg";
}
