// The order in which pictures are made: how many at once, how many may wait, and for how long an address may have them made.
import { createRates } from "../../platform/rates.ts";
import { slowDown, tooManyPictures } from "../errors.ts";
import { DrawingProcess, type Picture, type Wish } from "./drawing-process.ts";

/** Bytes of a stored picture, as on the platform. */
export const LARGEST_SOURCE = 25 * 1024 * 1024;
/** Made at the same time. Each takes one thread and some 280 MB, or 550 MB if 48 megapixels keep their size. */
const AT_ONCE = 2;
const MAY_WAIT = 64;
const MAY_WAIT_PER_ADDRESS = 16;
/** Eighty of the largest WebP from a camera's picture. Pictures made before cost nothing. */
const DRAWING_MS_A_MINUTE = 20_000;

export class Renderer {
  readonly #drawing = new DrawingProcess();
  readonly #drawingMs = createRates(DRAWING_MS_A_MINUTE, 60_000);
  #running = 0;
  readonly #waiting: { readonly address: string; begin(): void }[] = [];

  /** Throws InvalidRequest 422 if the source is not a picture or too large, SlowDown when too many wait, and TooManyRequests. */
  async render(source: () => Promise<Buffer>, wish: Wish, address: string): Promise<Picture> {
    await this.#turn(address);
    try {
      // Only now: those before it may have used up what was left.
      if (this.#drawingMs(address).left() <= 0) throw tooManyPictures();
      const bytes = await source();
      const begun = performance.now();
      try {
        return await this.#drawing.draw(bytes, wish);
      } finally {
        this.#drawingMs(address).spend(performance.now() - begun);
      }
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
    // A finished picture hands its slot over. Otherwise a request in between could start one too many.
    await new Promise<void>((begin) => this.#waiting.push({ address, begin }));
  }

  close(): void {
    this.#drawing.end();
  }
}
