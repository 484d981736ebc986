// Warnings for answers that the server is too busy (503, 504), sockets closed over their limits, refused sign-ins and denied
// requests. One client can cause thousands of them, so each kind is logged once a second at most.
import type { Log } from "./log.ts";

export interface Refusals {
  warn(kind: string, fields: object, message: string): void;
  /** Like `warn`, but logs at info what gets no warning, so that every event is in the log once. */
  note(kind: string, fields: object, message: string): void;
}

export const isRefusal = (status: number): boolean => status === 503 || status === 504;

const EVERY_MS = 1_000;

/** `now`: in milliseconds. */
export function createRefusals(log: Log, now: () => number = () => performance.now()): Refusals {
  const lines = new Map<string, { since: number; left: number }>();
  /** Returns whether it logged a warning. */
  const warned = (kind: string, fields: object, message: string): boolean => {
    const line = lines.get(kind);
    if (line && now() - line.since < EVERY_MS) {
      line.left++;
      return false;
    }
    log.warn({ ...fields, ...(line?.left ? { alsoSince: line.left } : {}) }, message);
    lines.set(kind, { since: now(), left: 0 });
    return true;
  };
  return {
    warn: (kind, fields, message) => void warned(kind, fields, message),
    note(kind, fields, message) {
      if (!warned(kind, fields, message)) log.info(fields, message);
    },
  };
}
