// Closes the channels of sessions that have ended: when PostgreSQL notifies of one, and when the listener reconnects,
// since it may have missed some.
import type { Log } from "../../platform/log.ts";
import type { Database } from "../../postgres/database.ts";
import { listenTo, type Listener } from "../../postgres/connections/listen.ts";
import type { Ended } from "../access.ts";
import type { Channel } from "./channel.ts";
import { endedSessions, type SessionOfUser } from "../queries.ts";

export interface EndingsDeps {
  readonly database: Database;
  /** Connection string for the listener. */
  readonly url: string;
  readonly log: Log;
}

const RETRY_MS = 2000;

export function watchEndings(
  { database, url, log }: EndingsDeps,
  channels: () => readonly Channel[],
): Listener {
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const end = (ended: Ended) => {
    for (const channel of channels()) channel.endFor(ended);
  };

  async function endMissed(): Promise<void> {
    clearTimeout(retry);
    try {
      for (const ended of await endedSessions(database, sessionsOf(channels()))) end(ended);
    } catch (error) {
      if (closed) return;
      log.error({ err: error }, "live channels could not be checked again; retrying");
      retry = setTimeout(() => void endMissed(), RETRY_MS).unref();
    }
  }

  const listener = listenTo(
    "session_ended",
    url,
    {
      onNotice: (payload) => end(JSON.parse(payload) as Ended),
      onConnected: () => void endMissed(),
    },
    log,
  );

  return {
    async close() {
      closed = true;
      clearTimeout(retry);
      await listener.close();
    },
  };
}

/** Each session once, however many channels it has. */
function sessionsOf(channels: readonly Channel[]): SessionOfUser[] {
  const sessions = new Map<string, SessionOfUser>();
  for (const { role, sub, session_id } of channels.flatMap((channel) => channel.claims())) {
    if (role !== "authenticated" || sub === undefined) continue;
    sessions.set(`${sub} ${session_id}`, { user_id: sub, ...(session_id !== undefined && { session_id }) });
  }
  return [...sessions.values()];
}
