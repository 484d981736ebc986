// Warnings for answers that the server is too busy (503, 504), and for sockets closed over their limits. One client can cause
// thousands of them, so each kind is logged once a second at most.
import type { Log } from "./log.ts";

export interface Refusals {
  warn(kind: string, fields: object, message: string): void;
}

export const isRefusal = (status: number): boolean => status === 503 || status === 504;

const EVERY_MS = 1_000;

/** `now`: in milliseconds. */
export function createRefusals(log: Log, now: () => number = () => performance.now()): Refusals {
  const lines = new Map<string, { since: number; left: number }>();
  return {
    warn(kind, fields, message) {
      const line = lines.get(kind);
      if (line && now() - line.since < EVERY_MS) {
        line.left++;
        return;
      }
      log.warn({ ...fields, ...(line?.left ? { alsoSince: line.left } : {}) }, message);
      lines.set(kind, { since: now(), left: 0 });
    },
  };
}
