// In a rush, each buyer creates an intent. One statement for many of them commits once.
import { batched } from "../../../server/src/postgres/batched.ts";
import type { Outcome, Queries, Saved } from "./queries.ts";

const MOST_AT_ONCE = 64;

export type SaveNew = (outcome: Outcome) => Promise<Saved>;

export function createSaveQueue(queries: Pick<Queries, "save">): SaveNew {
  return batched({ run: (outcomes) => queries.save(outcomes), most: MOST_AT_ONCE, admission: oneCallPerKey });
}

/** A second call under the same key waits for the next batch, where it finds the first one's answer. */
function oneCallPerKey(): (outcome: Outcome) => boolean {
  const keys = new Set<string>();
  return ({ key }) => {
    if (key === undefined) return true;
    if (keys.has(key)) return false;
    keys.add(key);
    return true;
  };
}
