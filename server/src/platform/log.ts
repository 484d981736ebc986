// Structured logs on standard error. Redacts what must never be logged: keys, tokens, passwords.
import { createRequire } from "node:module";
import type { Logger } from "pino";

export type Level = "debug" | "info" | "warn" | "error";

export type Log = Readonly<Record<Level, (fields: object, message: string) => void>>;

const REDACTED = [
  "password",
  "*.password",
  "authorization",
  "*.authorization",
  "*.apikey",
  "*.refresh_token",
  "*.access_token",
  "*.client_secret",
];

/** `level` is one of pino's. The logger loads with the first line, so a start without warnings never needs it. */
export function createLog(level: string): Log {
  let logger: Logger | undefined;
  const line =
    (at: Level): Log[Level] =>
    (fields, message) => {
      try {
        logger ??= openLogger(level);
      } catch {
        // No file descriptor is left to load it with, and logging must not end the process. The fields are left out because
        // only pino redacts them.
        process.stderr.write(`${message}\n`);
        return;
      }
      logger[at](fields, message);
    };
  return { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
}

function openLogger(level: string): Logger {
  const { pino } = createRequire(import.meta.url)("pino") as typeof import("pino");
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino(
    { level, base: undefined, redact: REDACTED, timestamp },
    pino.destination({ dest: 2, sync: true }),
  );
}
