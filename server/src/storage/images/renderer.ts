// Makes pictures of pictures with sharp. Owns every bound on it: what is read, how large it may be, how long it takes and how many are
// made at once. sharp takes a tenth of a second and 20 MB to load, so it is loaded with the first picture.
import type { Sharp } from "sharp";
import { imageUnreadable, slowDown } from "../errors.ts";
import { type Format, formatFor, sizes, type Transformation } from "./transformation.ts";

export interface Picture {
  readonly bytes: Buffer;
  readonly format: Format;
}

export interface Wish {
  readonly options: Transformation;
  /** The caller's Accept header; empty where the format is not negotiated. */
  readonly accept: string;
  readonly bucketLikesAvif: boolean;
}

/** Bytes of a stored picture, as on the platform, and pixels of it decoded: what fits into 200 MB. */
export const LARGEST_SOURCE = 25 * 1024 * 1024;
const MOST_PIXELS = 50_000_000;
/**
 * Pixels of a side: what WebP holds, and a telephone's panorama has. Scaling takes up to 3.5 KB for each column of the source, and
 * the system's allocator keeps it for the thread: 48 million pixels took 25 MB where they were 7,000 wide and 208 MB at 60,000.
 */
const LONGEST_SIDE = 16_384;
const SECONDS = 15;
/** Made at the same time; each takes one thread and at most some 200 MB. */
const AT_ONCE = 2;
const MAY_WAIT = 64;
const MAY_WAIT_PER_ADDRESS = 16;

/** What libvips may read at all. It could read PDF, SVG and a dozen formats of microscopes as well. */
const READERS = ["Jpeg", "Png", "Webp", "Nsgif", "Heif"].map((name) => `VipsForeignLoad${name}`);
const READ: ReadonlySet<string> = new Set(["jpeg", "png", "webp", "gif", "heif"]);

/** imgproxy's own; a client's wish replaces them. */
const QUALITY: Readonly<Record<Format, number>> = { jpeg: 80, png: 80, webp: 79, avif: 63, gif: 80 };

export class Renderer {
  #sharp: Promise<typeof import("sharp").default> | undefined;
  #running = 0;
  readonly #waiting: { readonly address: string; begin(): void }[] = [];

  /** Throws InvalidRequest 422 for what is no picture, or too large a one, and SlowDown while too many wait. */
  async render(source: () => Promise<Buffer>, wish: Wish, address: string): Promise<Picture> {
    await this.#turn(address);
    try {
      return await make(await this.#load(), await source(), wish);
    } finally {
      const next = this.#waiting.shift();
      if (next) next.begin();
      else this.#running -= 1;
    }
  }

  async #turn(address: string): Promise<void> {
    if (this.#running < AT_ONCE) {
      this.#running += 1;
      return;
    }
    const own = this.#waiting.filter((one) => one.address === address).length;
    if (this.#waiting.length >= MAY_WAIT || own >= MAY_WAIT_PER_ADDRESS) throw slowDown();
    // Whoever ends hands its place over, or one that asks in between would make one more.
    await new Promise<void>((begin) => this.#waiting.push({ address, begin }));
  }

  #load() {
    const load = async () => {
      const { default: sharp } = await import("sharp");
      sharp.cache(false);
      sharp.concurrency(1);
      sharp.block({ operation: ["VipsForeignLoad"] });
      sharp.unblock({ operation: READERS });
      return sharp;
    };
    this.#sharp ??= load().catch((error: unknown) => {
      this.#sharp = undefined;
      throw error;
    });
    return this.#sharp;
  }
}

async function make(sharp: typeof import("sharp").default, bytes: Buffer, wish: Wish): Promise<Picture> {
  try {
    // Of an animation the first frame, as imgproxy does unless it is told otherwise.
    const image = sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: "error", pages: 1 });
    const found = await image.metadata();
    if (!READ.has(found.format)) throw new Error(`no pictures are made of ${found.format}`);
    if (Math.max(found.width, found.height) > LONGEST_SIDE) throw new Error("a side is too long");
    const stored = found.format === "heif" && found.compression === "av1" ? "avif" : found.format;
    const format = formatFor(stored, wish.options.format, wish.accept, wish.bucketLikesAvif);
    const { scaled, cut } = sizes(found.autoOrient, wish.options);
    const drawn = image
      .autoOrient()
      .resize({ ...scaled, fit: "fill" })
      .extract({
        left: Math.floor((scaled.width - cut.width) / 2),
        top: Math.floor((scaled.height - cut.height) / 2),
        ...cut,
      });
    return {
      bytes: await encode(drawn, format, wish.options.quality).timeout({ seconds: SECONDS }).toBuffer(),
      format,
    };
  } catch (error) {
    throw imageUnreadable(error);
  }
}

function encode(image: Sharp, format: Format, wished: number | undefined): Sharp {
  const quality = wished ?? QUALITY[format];
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
