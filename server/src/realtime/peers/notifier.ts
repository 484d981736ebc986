// Sends from this process to the others: notifications, in order, each query with everything queued while the last one ran.
// What cannot be sent is lost, as it is for a client whose network fails.
import type { Log } from "../../platform/log.ts";

export interface NotifierOptions {
  /** Sends the payloads of one transaction, in their order. */
  readonly notify: (payloads: readonly string[]) => Promise<void>;
  /** Some were lost. */
  readonly onLost: () => void;
  readonly log: Log;
}

/** Bytes of one notification; PostgreSQL refuses 8,000. */
const LARGEST = 7_900;
const PART = 7_000;
const AT_ONCE = 500;
/** Characters that may wait for a slow database. */
const MOST_WAITING = 16 * 1024 * 1024;

export class Notifier {
  readonly #options: NotifierOptions;
  readonly #process: string;
  #waiting: string[] = [];
  #characters = 0;
  #count = 0;
  #sending: Promise<void> | undefined;

  constructor(process: string, options: NotifierOptions) {
    this.#process = process;
    this.#options = options;
  }

  /** `message` is JSON. The number keeps PostgreSQL from merging two equal notifications of a transaction. */
  send(message: object): void {
    const number = ++this.#count;
    const whole = JSON.stringify({ from: this.#process, number, ...message });
    if (this.#characters + whole.length > MOST_WAITING)
      return this.#lose("too many messages wait", undefined);
    const payloads = Buffer.byteLength(whole) <= LARGEST ? [whole] : this.#partsOf(whole, number);
    for (const payload of payloads) {
      this.#waiting.push(payload);
      this.#characters += payload.length;
    }
    this.#sending ??= this.#work();
  }

  /** Resolves when nothing waits any more. */
  async drained(): Promise<void> {
    await this.#sending;
  }

  #partsOf(whole: string, of: number): string[] {
    const data = Buffer.from(whole).toString("base64");
    const parts = Math.ceil(data.length / PART);
    return Array.from({ length: parts }, (_, part) => {
      const piece = data.slice(part * PART, (part + 1) * PART);
      return JSON.stringify({ from: this.#process, kind: "part", of, part, parts, data: piece });
    });
  }

  async #work(): Promise<void> {
    await Promise.resolve(); // batch what is sent in the same moment
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, AT_ONCE);
      for (const payload of batch) this.#characters -= payload.length;
      try {
        await this.#options.notify(batch);
      } catch (error) {
        this.#lose("the database did not take them", error);
      }
    }
    this.#sending = undefined;
  }

  #lose(why: string, error: unknown): void {
    this.#options.log.warn({ err: error, why }, "messages to other server processes were lost");
    this.#options.onLost();
  }
}
