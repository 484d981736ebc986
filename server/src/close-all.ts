// Ends what a start began, the last first, whatever fails on the way: PostgreSQL was begun first and is ended last.
import type { Ground } from "./ground.ts";
import type { Log } from "./platform/log.ts";

/** Never rejects. */
export async function closeAll(closers: Ground["closers"], log: Pick<Log, "error">): Promise<void> {
  for (const close of closers.toReversed()) {
    try {
      await close();
    } catch (error) {
      log.error({ err: error }, "a part could not be closed; the others still are");
    }
  }
}
