// The order in which pictures are made: how many at once, and how many may wait.
import { slowDown } from "../errors.ts";
import { DrawingProcess, type Picture, type Wish } from "./drawing-process.ts";

/** Bytes of a stored picture, as on the platform. */
export const LARGEST_SOURCE = 25 * 1024 * 1024;
/** Made at the same time. Each takes one thread and some 280 MB, or 550 MB if 48 megapixels keep their size. */
const AT_ONCE = 2;
const MAY_WAIT = 64;
const MAY_WAIT_PER_ADDRESS = 16;

export class Renderer {
  readonly #drawing = new DrawingProcess();
  #running = 0;
  readonly #waiting: { readonly address: string; begin(): void }[] = [];

  /** Throws InvalidRequest 422 if the source is not a picture or too large, and SlowDown when too many wait. */
  async render(source: () => Promise<Buffer>, wish: Wish, address: string): Promise<Picture> {
    await this.#turn(address);
    try {
      return await this.#drawing.draw(await source(), wish);
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
