// The order in which pictures are made: how many at once, how many may wait, and for how long an address may have them made.
// Addresses take turns, so that one visitor's many pictures delay that visitor's alone.
import { createRates } from "../../platform/rates.ts";
import { slowDown, tooManyPictures } from "../errors.ts";
import { DrawingProcess, type Picture, type Rendering } from "./drawing-process.ts";

/** Bytes of a stored picture, as on the platform. */
export const LARGEST_SOURCE = 25 * 1024 * 1024;
/** Made at the same time. Each takes one thread and some 280 MB, or 550 MB if 48 megapixels keep their size. */
const AT_ONCE = 2;
const MAY_WAIT = 64;
const MAY_WAIT_PER_ADDRESS = 16;
/** Of a processor: eighty of the largest WebP from a camera's picture. Pictures made before cost nothing. */
const DRAWING_MS_A_MINUTE = 20_000;

export class Renderer {
  readonly #drawing = new DrawingProcess();
  readonly #drawingMs = createRates(DRAWING_MS_A_MINUTE, 60_000);
  /** The address of each picture being made. */
  readonly #running: string[] = [];
  /** What begins each waiting picture, by address in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Throws InvalidRequest 422 if the source is not a picture or too large, SlowDown when too many wait, and TooManyRequests. */
  async render(source: () => Promise<Buffer>, rendering: Rendering, address: string): Promise<Picture> {
    this.#requireTime(address);
    await this.#turn(address);
    try {
      // Those before it may have used up what was left.
      this.#requireTime(address);
      return await this.#drawing.draw(await source(), rendering, (ms) => this.#drawingMs(address).spend(ms));
    } finally {
      this.#running.splice(this.#running.indexOf(address), 1);
      this.#beginNext();
    }
  }

  #requireTime(address: string): void {
    const ms = this.#drawingMs(address).emptyFor();
    if (ms > 0) throw tooManyPictures(Math.ceil(ms / 1000));
  }

  async #turn(address: string): Promise<void> {
    if (this.#running.length < AT_ONCE) {
      this.#running.push(address);
      return;
    }
    const own = this.#waiting.get(address) ?? [];
    const inAll = this.#waiting.values().reduce((sum, { length }) => sum + length, 0);
    if (inAll >= MAY_WAIT || own.length >= MAY_WAIT_PER_ADDRESS) throw slowDown();
    await new Promise<void>((begin) => this.#waiting.set(address, [...own, begin]));
  }

  /** Hands over the slot of a finished picture. Otherwise a request in between could start one too many. */
  #beginNext(): void {
    const addresses = [...this.#waiting.keys()];
    const address = addresses.find((one) => !this.#running.includes(one)) ?? addresses[0];
    if (address === undefined) return;
    const [begin, ...others] = this.#waiting.get(address)!;
    this.#waiting.delete(address); // goes to the end
    if (others.length > 0) this.#waiting.set(address, others);
    this.#running.push(address);
    begin!();
  }

  close(): void {
    this.#drawing.end();
  }
}
