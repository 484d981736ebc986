// Row changes as they happen. Handles joining and leaving channels (also when the page leaves before it has joined),
// rejoining when the server ends a channel, and tracking since when changes have stopped arriving. supabase-js reconnects
// the socket.
import type { RealtimeChannel, RealtimePostgresChangesPayload } from "@supabase/supabase-js";
import { logError } from "../browser/error-log.ts";
import { getRenewedSupabase } from "./renewed.ts";
import { getSupabase } from "./supabase.ts";

interface Change {
  table: string;
  /** The row as it is now; empty for a deletion. */
  row: Record<string, unknown>;
  /** When the change was committed. */
  at: string;
}

export interface Followed {
  table: string;
  event: "INSERT" | "UPDATE" | "*";
  /** What `notify` reads of the row, besides its id. */
  columns: readonly string[];
  /** The change, whose row's shape nobody has checked. What it throws is logged. */
  notify: (change: Change) => void;
}

interface Follower {
  followed: readonly Followed[];
  onFlowing: () => void;
}

const JOIN_AGAIN_MS = 5000;

let joined = 0;
/** Channels that have not joined yet, so others may still share them. */
const boarding = new Map<string, SharedChannel>();
const channels = new Set<SharedChannel>();
const watchers = new Set<() => void>();
let networkLostAt: number | undefined;

function onNetworkLost() {
  networkLostAt = Date.now();
  notifyWatchers();
}

/** Reconnects a broken socket now, instead of when its next attempt is due. */
function onNetworkBack() {
  networkLostAt = undefined;
  notifyWatchers();
  getSupabase().then(
    (supabase) => supabase.realtime.connect(),
    (error: unknown) => logError("connect again", error),
  );
}

function notifyWatchers() {
  for (const watcher of watchers) watcher();
}

/** Since when some followed channel has not received changes; undefined while all receive them. */
export function changesDownSince(): number | undefined {
  const downs = [networkLostAt, ...Array.from(channels, ({ downSince }) => downSince)].filter(
    (since) => since !== undefined,
  );
  return downs.length > 0 ? Math.min(...downs) : undefined;
}

/** Calls back whenever `changesDownSince` may have changed. Returns a function that stops. */
export function watchChangesDown(watcher: () => void): () => void {
  if (watchers.size === 0) {
    networkLostAt = navigator.onLine ? undefined : Date.now();
    addEventListener("offline", onNetworkLost);
    addEventListener("online", onNetworkBack);
  }
  watchers.add(watcher);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    removeEventListener("offline", onNetworkLost);
    removeEventListener("online", onNetworkBack);
    networkLostAt = undefined;
  };
}

/**
 * Reports changes once they flow. `onFlowing` runs at that moment and again after every interruption: earlier changes are
 * not reported and must be read. Callers that start with the same name at the same time share a channel, so a row that
 * several of them follow is sent once. A channel that the server ends is rejoined after a while. Returns a function that
 * stops.
 */
export function followChanges(
  name: string,
  followed: readonly Followed[],
  onFlowing: () => void,
): () => void {
  const channel = boarding.get(name) ?? new SharedChannel(name);
  const follower = { followed, onFlowing };
  channel.followers.add(follower);
  return () => {
    channel.followers.delete(follower);
    if (channel.followers.size === 0) channel.leave();
  };
}

/** A channel of the client, joined again whenever it ends, until the last follower leaves. */
class SharedChannel {
  readonly followers = new Set<Follower>();
  /** Since when no changes have arrived, in milliseconds; undefined while they arrive or are about to. */
  downSince: number | undefined;
  readonly #name: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #leaveJoined = () => {};

  constructor(name: string) {
    this.#name = name;
    boarding.set(name, this);
    channels.add(this);
    this.#begin();
  }

  leave(): void {
    channels.delete(this);
    notifyWatchers();
    this.#boardingEnds();
    clearTimeout(this.#timer);
    this.#leaveJoined();
  }

  #begin(): void {
    this.#join().catch((error: unknown) => {
      if (this.downSince === undefined) logError(`follow ${this.#name}`, error); // once, not on every attempt
      this.#flows(false);
      if (this.followers.size > 0) this.#beginLater();
    });
  }

  #beginLater(): void {
    this.#timer = setTimeout(() => this.#begin(), JOIN_AGAIN_MS);
  }

  async #join(): Promise<void> {
    const supabase = await getRenewedSupabase();
    this.#boardingEnds();
    if (this.followers.size === 0) return;
    // A unique name: while a channel is still leaving, the client would return it again under the same name.
    const channel = supabase.channel(`${this.#name}-${++joined}`);
    let left = false;
    this.#leaveJoined = () => {
      left = true;
      void supabase.removeChannel(channel);
    };
    // The server ends a channel whose token has expired, as after a laptop's sleep, or when it cannot read the changes.
    const joinAgain = () => {
      if (left) return;
      this.#flows(false);
      this.#leaveJoined();
      this.#beginLater();
    };
    this.#report(channel);
    channel.on("system", {}, ({ extension, status }: { extension: string; status: string }) => {
      if (extension !== "postgres_changes" || left) return;
      if (status !== "ok") return joinAgain();
      this.#flows(true);
      for (const { onFlowing } of this.followers) onFlowing();
    });
    channel.subscribe((status) => {
      if (left || status === "SUBSCRIBED") return; // changes flow a moment later, see above
      if (status === "CLOSED") joinAgain();
      else this.#flows(false);
    });
  }

  /**
   * Reports each change to the followers that are still here. All who follow a table ask for the same columns, so that a row is sent
   * once, and without those that nobody reads.
   */
  #report(channel: RealtimeChannel): void {
    const followed = [...this.followers].flatMap((follower) => follower.followed);
    for (const follower of this.followers) {
      for (const { table, event, notify } of follower.followed) {
        const read = followed.filter((each) => each.table === table).flatMap(({ columns }) => columns);
        channel.on(
          "postgres_changes",
          { event: event as "*", schema: "public", table, select: [...new Set(["id", ...read])] },
          (change: RealtimePostgresChangesPayload<Record<string, unknown>>) => {
            if (!this.followers.has(follower)) return;
            try {
              notify({ table, row: change.new, at: change.commit_timestamp });
            } catch (error) {
              logError(`read a change of ${table}`, error); // the other followers can still read it
            }
          },
        );
      }
    }
  }

  #flows(isFlowing: boolean): void {
    this.downSince = isFlowing ? undefined : (this.downSince ?? Date.now());
    notifyWatchers();
  }

  #boardingEnds(): void {
    if (boarding.get(this.#name) === this) boarding.delete(this.#name);
  }
}
