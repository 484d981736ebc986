// Changes of rows as they happen. Owns joining and leaving a channel, also when the page leaves before it has joined.
import type { RealtimePostgresChangesPayload } from "@supabase/supabase-js";
import { logError } from "./error-log.ts";
import { getSupabase } from "./supabase.ts";

export interface Change {
  table: string;
  /** The row as it is now; empty for a deletion. */
  row: Record<string, unknown>;
  /** When it was committed. */
  at: string;
}

export interface Followed {
  table: string;
  event: "INSERT" | "UPDATE" | "*";
  /** What became of the row; the payload's shape is the caller's claim. */
  tell: (change: Change) => void;
}

let joined = 0;

/** Returns the way to stop. */
export function followChanges(name: string, followed: readonly Followed[]): () => void {
  let stopped = false;
  let leave = () => {};
  getSupabase()
    .then((supabase) => {
      if (stopped) return;
      // A number of its own: the client hands out a channel of the same name again while the old one still leaves.
      const channel = supabase.channel(`${name}-${++joined}`);
      for (const { table, event, tell } of followed) {
        channel.on(
          "postgres_changes",
          { event: event as "*", schema: "public", table },
          (change: RealtimePostgresChangesPayload<Record<string, unknown>>) =>
            tell({ table, row: change.new, at: change.commit_timestamp }),
        );
      }
      channel.subscribe();
      leave = () => void supabase.removeChannel(channel);
    })
    .catch((error: unknown) => logError(`follow ${name}`, error));
  return () => {
    stopped = true;
    leave();
  };
}
