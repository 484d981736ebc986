// In a rush, each buyer creates an intent. One statement for many of them commits once.
import { batched, onePer } from "../../../server/src/postgres/batched.ts";
import type { Outcome, Queries, Saved } from "./queries.ts";

const MOST_AT_ONCE = 64;

export type SaveNew = (outcome: Outcome) => Promise<Saved>;

export function createSaveQueue(queries: Pick<Queries, "save">): SaveNew {
  // A second call under the same key waits for the next batch, where it finds the first one's answer.
  const admission = onePer(({ key }: Outcome) => key);
  return batched({ run: (outcomes) => queries.save(outcomes), most: MOST_AT_ONCE, admission });
}
