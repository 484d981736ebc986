// The client's own rate limits: a sliding window of 60 s per operation and user (PRODUCT 11.1). They only
// save the server work; it has its own limits.
import { logRateLimit } from "../browser/error-log.ts";

type LimitedOperation = "payment" | "order_creation" | "qr_generation";

const WINDOW_MS = 60_000;
const CLEANUP_EVERY_MS = 10 * 60_000;
const KEEP_MS = 60 * 60_000;
const limits: Readonly<Record<LimitedOperation, number>> = {
  payment: 3,
  order_creation: 5,
  qr_generation: 10,
};

type Permission = { allowed: true } | { allowed: false; retryAfterMs: number };

export interface RateLimiter {
  /** Counts one call, unless the window is full. */
  take(operation: LimitedOperation, userId: string): Permission;
  /** Drops calls older than an hour. Runs every ten minutes while calls are made. */
  cleanup(): void;
}

export function createRateLimiter(now: () => number = Date.now): RateLimiter {
  const calls = new Map<string, number[]>();
  let cleanedAt = now();

  function cleanup() {
    cleanedAt = now();
    for (const [key, times] of calls) {
      const kept = times.filter((time) => now() - time < KEEP_MS);
      if (kept.length === 0) calls.delete(key);
      else calls.set(key, kept);
    }
  }

  return {
    cleanup,
    take(operation, userId) {
      if (now() - cleanedAt >= CLEANUP_EVERY_MS) cleanup();
      const key = `${operation}:${userId}`;
      const times = calls.get(key) ?? [];
      const inWindow = times.filter((time) => now() - time < WINDOW_MS);
      const oldest = inWindow[0];
      if (oldest !== undefined && inWindow.length >= limits[operation]) {
        logRateLimit(operation);
        return { allowed: false, retryAfterMs: oldest + WINDOW_MS - now() };
      }
      calls.set(key, [...times, now()]);
      return { allowed: true };
    },
  };
}

/** Shared by the whole page: limits apply to the user, not to the screen. */
export const rateLimiter = createRateLimiter();

/** "Please wait 12 seconds and try again." */
export function waitMessage(retryAfterMs: number): string {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return `Please wait ${seconds} ${seconds === 1 ? "second" : "seconds"} and try again.`;
}
