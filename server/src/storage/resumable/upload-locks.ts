// One request at a time for each upload. A later request asks the one before to stop, which clients rely on when they reconnect after
// a lost connection. The library's own lock busy-waits.
import type { Lock, Locker } from "@tus/server";

const WAITS_MS = 30_000;

interface Held {
  readonly stop: () => unknown;
  readonly released: Promise<void>;
  readonly release: () => void;
}

export class UploadLocks implements Locker {
  readonly #held = new Map<string, Held>();

  isHeld(id: string): boolean {
    return this.#held.has(id);
  }

  newLock(id: string): Lock {
    return {
      lock: (signal, stop) => this.#lock(id, AbortSignal.any([signal, AbortSignal.timeout(WAITS_MS)]), stop),
      unlock: async () => {
        this.#held.get(id)?.release();
        this.#held.delete(id);
      },
    };
  }

  async #lock(id: string, patience: AbortSignal, stop: () => unknown): Promise<void> {
    const over = new Promise<void>((done) =>
      patience.addEventListener("abort", () => done(), { once: true }),
    );
    for (let held = this.#held.get(id); held; held = this.#held.get(id)) {
      await held.stop();
      await Promise.race([held.released, over]);
      // The wire format of the library's own errors.
      // oxlint-disable-next-line typescript/only-throw-error
      if (patience.aborted) throw { status_code: 423, body: "The upload is in use" };
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(id, { stop, released: promise, release: resolve });
  }
}
