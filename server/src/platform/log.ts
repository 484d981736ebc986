// Structured logs on standard error. Redacts what must never be written down: keys, tokens, passwords.
import { pino } from "pino";

export type Log = ReturnType<typeof createLog>;

export function createLog(level: string) {
  return pino(
    {
      level,
      base: undefined,
      redact: [
        "password",
        "*.password",
        "authorization",
        "*.authorization",
        "*.apikey",
        "*.refresh_token",
        "*.access_token",
        "*.client_secret",
      ],
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
