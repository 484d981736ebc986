// Hears NOTIFY pgrst, 'reload schema' or 'reload config', on a connection of its own, and connects again when that breaks. After every
// reconnection the schema counts as changed: what was said meanwhile is lost.
import type { Log } from "../../platform/log.ts";
import { GuardedClient } from "../../postgres/guard.ts";

export interface SchemaListener {
  close(): Promise<void>;
}

const RETRY_MS = 2000;

export function listenForSchemaChanges(url: string, onChange: () => void, log: Log): SchemaListener {
  let client: GuardedClient | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const connect = async () => {
    const attempt = new GuardedClient({
      connectionString: url,
      application_name: "thats-so-houston schema listener",
    });
    const lost = (error?: Error) => {
      if (closed || client !== attempt) return;
      client = undefined;
      if (error) log.warn({ err: error }, "the schema listener lost its connection");
      attempt.end().catch(() => {});
      retry = setTimeout(() => void connect(), RETRY_MS);
      retry.unref();
    };
    client = attempt;
    attempt.on("error", lost);
    attempt.on("end", () => lost());
    attempt.on("notification", ({ payload }) => {
      if (["reload schema", "reload config", ""].includes(payload ?? "")) onChange();
    });
    try {
      await attempt.connect();
      await attempt.query("listen pgrst");
      onChange();
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
