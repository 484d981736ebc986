// The bytes of stored objects, read for downloads. Small objects stay in a bounded memory cache, least recently used first out; a
// version's bytes never change. Whether an object exists, which version is current and who may read it is looked up in its row for
// every request, never here.
import type { PipedBody } from "../../platform/http/piped-body.ts";
import type { ByteRange, ObjectStore } from "./object-store.ts";

const SMALL = 256 * 1024;
const MOST_BYTES = 32 * 1024 * 1024;

export class StoredBytes {
  readonly #store: ObjectStore;
  readonly #mostBytes: number;
  /** By version, least recently used first. */
  readonly #kept = new Map<string, Buffer>();
  #bytes = 0;

  constructor(store: ObjectStore, mostBytes = MOST_BYTES) {
    this.#store = store;
    this.#mostBytes = mostBytes;
  }

  /** `size` is that of the whole object. Undefined when the bytes are lost. */
  async read(
    version: string,
    size: number,
    range: ByteRange | undefined,
  ): Promise<Buffer | PipedBody | undefined> {
    const kept = this.#kept.get(version);
    if (kept) {
      this.#keep(version, kept);
      return range ? kept.subarray(range.start, range.end + 1) : kept;
    }
    const whole = size === 0 ? undefined : { start: 0, end: size - 1 };
    const bytes = await this.#store.read(version, range ?? whole);
    if (!range && size <= SMALL && Buffer.isBuffer(bytes)) this.#keep(version, bytes);
    return bytes;
  }

  /** For objects that are gone or overwritten. */
  forget(versions: readonly string[]): void {
    for (const version of versions) {
      this.#bytes -= this.#kept.get(version)?.length ?? 0;
      this.#kept.delete(version);
    }
  }

  #keep(version: string, bytes: Buffer): void {
    this.forget([version]);
    this.#kept.set(version, bytes);
    this.#bytes += bytes.length;
    for (const [oldest] of this.#kept) {
      if (this.#bytes <= this.#mostBytes) return;
      this.forget([oldest]);
    }
  }
}
