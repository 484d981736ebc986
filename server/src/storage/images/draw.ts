// The child process of drawing-process.ts: derives one picture from another with sharp. Owns which formats are read and how large a
// picture may be.
import sharp, { type Sharp } from "sharp";
import type { Answer, Job, Picture, Rendering } from "./drawing-process.ts";
import { type Format, formatFor, sizes } from "./transformation.ts";

/** Pixels decoded: what fits into 200 MB. */
const MOST_PIXELS = 50_000_000;
/**
 * Pixels per side: the limit of WebP, and enough for a phone's panorama. Scaling takes up to 3.5 KB for each column of the source.
 */
const LONGEST_SIDE = 16_384;
const SECONDS = 15;
/** AVIF takes 40 bytes of memory and 2 to 4 us for each pixel, in one step: 48 megapixels took 1.9 GB and 160 s. */
const MOST_PIXELS_OF_AVIF = 4_000_000;

/** The only formats libvips may read. It could read PDF, SVG and a dozen microscope formats as well. */
const READERS = ["Jpeg", "Png", "Webp", "Nsgif", "Heif"].map((name) => `VipsForeignLoad${name}`);
const READ: ReadonlySet<string> = new Set(["jpeg", "png", "webp", "gif", "heif"]);

/** imgproxy's defaults; a client's choice replaces them. */
const QUALITY: Readonly<Record<Format, number>> = { jpeg: 80, png: 80, webp: 79, avif: 63, gif: 80 };

sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: READERS });

/** The milliseconds of processor time of each picture in progress. */
const inProgress = new Map<number, number>();
let counted = 0;

process.on("message", async ({ id, bytes, rendering }: Job) => {
  countTime();
  inProgress.set(id, 0);
  const made = await draw(bytes, rendering).then(
    (picture) => ({ picture }),
    (error: unknown) => ({ unreadable: String(error) }),
  );
  countTime();
  const cpuMs = inProgress.get(id)!;
  inProgress.delete(id);
  process.send!({ id, cpuMs, ...made } satisfies Answer);
});

/** Divides what the process has used since the last count among the pictures in progress. */
function countTime(): void {
  const { user, system } = process.cpuUsage();
  const now = (user + system) / 1000;
  for (const [id, ms] of inProgress) inProgress.set(id, ms + (now - counted) / inProgress.size);
  counted = now;
}

// Ctrl-C reaches every process of a terminal. The server finishes the pictures in progress and ends this process itself.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
// The server is gone. An ordinary exit would wait for the pictures in progress.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

async function draw(bytes: Buffer, rendering: Rendering): Promise<Picture> {
  // As imgproxy by default: the first frame of an animation, and of a damaged file as much as can be read.
  const image = sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: "none", pages: 1 });
  const found = await image.metadata();
  if (!READ.has(found.format)) throw new Error(`no pictures are made of ${found.format}`);
  if (Math.max(found.width, found.height) > LONGEST_SIDE) throw new Error("a side is too long");
  const stored = found.format === "heif" && found.compression === "av1" ? "avif" : found.format;
  const negotiated = formatFor(stored, rendering.options.format, rendering.accept, rendering.bucketLikesAvif);
  const { scaled, cut } = sizes(found.autoOrient, rendering.options);
  const format = negotiated === "avif" && cut.width * cut.height > MOST_PIXELS_OF_AVIF ? "webp" : negotiated;
  const drawn = image
    .autoOrient()
    .resize({ ...scaled, fit: "fill" })
    .extract({
      left: Math.floor((scaled.width - cut.width) / 2),
      top: Math.floor((scaled.height - cut.height) / 2),
      ...cut,
    });
  const bytesOf = encode(drawn, format, rendering.options.quality).timeout({ seconds: SECONDS });
  return { bytes: await bytesOf.toBuffer(), format };
}

function encode(image: Sharp, format: Format, asked: number | undefined): Sharp {
  const quality = asked ?? QUALITY[format];
  switch (format) {
    case "jpeg":
      return image.flatten({ background: "white" }).jpeg({ quality, progressive: true });
    case "png":
      return image.png();
    case "gif":
      return image.gif();
    case "webp":
      return image.webp({ quality });
    case "avif":
      return image.avif({ quality, effort: 3 });
  }
}
