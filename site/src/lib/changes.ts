// Changes of rows as they happen. Owns joining and leaving a channel, also when the page leaves before it has joined, and
// joining again when the stream ends by itself; the client repairs a broken socket.
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

const JOIN_AGAIN_MS = 5000;

let joined = 0;

/**
 * Tells of changes from when they flow. `onFlowing` is called then, and again each time they flow after an interruption:
 * whatever happened before is not told and has to be read. Returns the way to stop.
 */
export function followChanges(
  name: string,
  followed: readonly Followed[],
  onFlowing: () => void,
): () => void {
  let stopped = false;
  let leave = () => {};
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function join() {
    const supabase = await getSupabase();
    if (stopped) return;
    // A number of its own: the client hands out a channel of the same name again while the old one still leaves.
    const channel = supabase.channel(`${name}-${++joined}`);
    let left = false;
    leave = () => {
      left = true;
      void supabase.removeChannel(channel);
    };
    // The server ends a channel whose token ran out, as after a laptop's sleep, and may fail to read the changes.
    const joinAgain = () => {
      if (left) return;
      leave();
      timer = setTimeout(begin, JOIN_AGAIN_MS);
    };
    for (const { table, event, tell } of followed) {
      channel.on(
        "postgres_changes",
        { event: event as "*", schema: "public", table },
        (change: RealtimePostgresChangesPayload<Record<string, unknown>>) =>
          tell({ table, row: change.new, at: change.commit_timestamp }),
      );
    }
    channel.on("system", {}, ({ extension, status }: { extension: string; status: string }) => {
      if (extension !== "postgres_changes" || left) return;
      if (status === "ok") onFlowing();
      else joinAgain();
    });
    channel.subscribe((status) => status === "CLOSED" && joinAgain());
  }

  function begin() {
    join().catch((error: unknown) => {
      logError(`follow ${name}`, error);
      if (!stopped) timer = setTimeout(begin, JOIN_AGAIN_MS);
    });
  }

  begin();
  return () => {
    stopped = true;
    clearTimeout(timer);
    leave();
  };
}
