// Receives NOTIFY messages of one of PostgreSQL's channels on a dedicated connection, and reconnects when that breaks or
// stops answering.
import type { Log } from "../../platform/log.ts";
import { GuardedClient } from "./guard.ts";

export interface Ear {
  /** Called with each message. */
  onNotice(payload: string): void;
  /** Called for each connection, including the first: earlier messages are lost. */
  onConnected(): void;
}

export interface Listener {
  close(): Promise<void>;
}

const RETRY_MS = 2000;
const CHECK_MS = 15_000;

/** `channel` is a plain name. A connection that leaves a check unanswered for `checkMs` is replaced. */
export function listenTo(
  channel: string,
  url: string,
  ear: Ear,
  log: Log,
  checkMs: number = CHECK_MS,
): Listener {
  let client: GuardedClient | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const connect = async () => {
    const attempt = new GuardedClient({
      connectionString: url,
      application_name: `server listener to ${channel}`,
      connectionTimeoutMillis: checkMs,
      query_timeout: checkMs,
    });
    let checking: NodeJS.Timeout | undefined;
    const lost = (error?: Error) => {
      clearInterval(checking);
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
      checking = setInterval(() => attempt.query("select 1").catch(lost), checkMs);
      checking.unref();
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
