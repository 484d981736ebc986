// The server's broadcasts on a private topic, starting with the last message. Handles joining, rejoining when the server ends
// the channel, and leaving. supabase-js reconnects the socket.
import type { RealtimeChannel } from "@supabase/supabase-js";
import { logError } from "../browser/error-log.ts";
import { getRenewedSupabase } from "./renewed.ts";

const JOIN_AGAIN_MS = 30_000;
/** The last message, however old: it repeats the current state, and a phone's clock may be wrong by any amount. */
const REPLAY = { since: 0, limit: 1 };

export interface Follower {
  readonly notify: (payload: unknown) => void;
  /** Called with whether broadcasts arrive. */
  readonly onLive: (isLive: boolean) => void;
  /** Called when the server ends the channel, for example because the user lost a role. It is joined again after a while. */
  readonly onEnded?: () => void;
}

/** Resolves once the channel left last is gone. Until then the client would return it again. */
let leaving: Promise<unknown> = Promise.resolve();

/** One follower per topic at a time. Returns a function that stops. */
export function followBroadcasts(
  topic: string,
  event: string,
  { notify, onLive, onEnded }: Follower,
): () => void {
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let leave = () => {};

  async function join(): Promise<void> {
    const [supabase] = await Promise.all([getRenewedSupabase(), leaving]);
    if (stopped) return;
    const broadcast = { replay: REPLAY };
    const channel = supabase.channel(topic, { config: { private: true, broadcast } });
    leave = () => {
      leaving = supabase.removeChannel(channel).catch(() => {});
    };
    follow(channel);
  }

  function follow(channel: RealtimeChannel): void {
    let ended = false;
    channel.on("broadcast", { event }, ({ payload }) => {
      if (!stopped) notify(payload);
    });
    channel.subscribe((status) => {
      if (stopped || ended) return;
      onLive(status === "SUBSCRIBED");
      if (status !== "CLOSED") return;
      ended = true;
      leave();
      onEnded?.();
      timer = setTimeout(begin, JOIN_AGAIN_MS);
    });
  }

  function begin(): void {
    join().catch((error: unknown) => {
      logError(`follow ${topic}`, error);
      if (stopped) return;
      onLive(false);
      timer = setTimeout(begin, JOIN_AGAIN_MS);
    });
  }

  begin();
  return () => {
    stopped = true;
    clearTimeout(timer);
    leave();
  };
}
