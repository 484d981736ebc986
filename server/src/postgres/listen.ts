// Hears what NOTIFY says on one of PostgreSQL's channels, on a connection of its own, and connects again when that breaks.
import type { Log } from "../platform/log.ts";
import { GuardedClient } from "./guard.ts";

export interface Ear {
  /** With each notice. */
  onNotice(payload: string): void;
  /** With each connection, the first included: what was said before it is lost. */
  onConnected(): void;
}

export interface Listener {
  close(): Promise<void>;
}

const RETRY_MS = 2000;

/** `channel` is a plain name. */
export function listenTo(channel: string, url: string, ear: Ear, log: Log): Listener {
  let client: GuardedClient | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const connect = async () => {
    const attempt = new GuardedClient({
      connectionString: url,
      application_name: `thats-so-houston listener to ${channel}`,
    });
    const lost = (error?: Error) => {
      if (closed || client !== attempt) return;
      client = undefined;
      if (error) log.warn({ err: error, channel }, "a listener lost its connection");
      attempt.end().catch(() => {});
      retry = setTimeout(() => void connect(), RETRY_MS);
      retry.unref();
    };
    client = attempt;
    attempt.on("error", lost);
    attempt.on("end", () => lost());
    attempt.on("notification", ({ payload }) => ear.onNotice(payload ?? ""));
    try {
      await attempt.connect();
      await attempt.query(`listen ${channel}`);
      ear.onConnected();
    } catch (error) {
      lost(error as Error);
    }
  };
  const connected = connect();

  return {
    async close() {
      closed = true;
      clearTimeout(retry);
      await connected;
      await client?.end().catch(() => {});
    },
  };
}
