// Closes the parts of a start in reverse order, whatever fails on the way: PostgreSQL started first and ends last. A part
// that does not end is left behind, because the parts below it must still be closed in order.
import type { Closer } from "./dependencies.ts";
import type { Log } from "./platform/log.ts";

/**
 * Requests in progress, and PostgreSQL itself, get ten seconds. The total stays below the minute after which systemd kills.
 */
const WITHIN = { eachMs: 15_000, allMs: 40_000, leastMs: 500 };

/** Never rejects, and takes no longer than `allMs` and a few times `leastMs`. */
export async function closeAll(
  closers: readonly Closer[],
  log: Pick<Log, "error">,
  { eachMs, allMs, leastMs } = WITHIN,
): Promise<void> {
  const started = performance.now();
  for (const { part, close } of closers.toReversed()) {
    const left = Math.max(allMs - (performance.now() - started), leastMs);
    try {
      if (await endsWithin(Math.min(eachMs, left), close)) continue;
      log.error({ part }, "a part did not close in time and is left behind; the others still are closed");
    } catch (error) {
      log.error({ err: error, part }, "a part could not be closed; the others still are");
    }
  }
}

async function endsWithin(milliseconds: number, close: () => unknown): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(resolve, milliseconds, false);
  try {
    return await Promise.race([Promise.resolve(close()).then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
