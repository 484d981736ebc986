// Token buckets in the process, as in GoTrue: one starts full and refills evenly over its window.
import type { Clock } from "../../platform/clock.ts";
import type { Rate } from "../settings/values.ts";

/** Above this number, the least recently used bucket is dropped. */
const MOST_BUCKETS = 50_000;

interface Bucket {
  left: number;
  at: number;
}

/** Takes `cost` out of a bucket. Returns 0, or the seconds until that is possible, in which case nothing was taken. */
export type Take = (key: string, rate: Rate, cost?: number) => number;

export function createBuckets(clock: Clock): Take {
  const buckets = new Map<string, Bucket>();

  return (key, { events, seconds }, cost = 1) => {
    const now = clock.now();
    const bucket = buckets.get(key);
    const refill = events / (seconds * 1000);
    const left = bucket ? Math.min(events, bucket.left + (now - bucket.at) * refill) : events;
    if (left < 1) return Math.max(1, Math.ceil((1 - left) / refill / 1000));
    buckets.delete(key); // the most recently used one goes last
    buckets.set(key, { left: left - cost, at: now });
    const [oldest] = buckets.keys();
    if (buckets.size > MOST_BUCKETS) buckets.delete(oldest!);
    return 0;
  };
}
