// How often one address may ask. As in GoTrue a token bucket in the process: it fills evenly over five minutes and starts
// full. Far wider than GoTrue's, because a festival's crowd shares addresses; guessing is made dear instead, a refused
// password counts ten times.
import type { Clock } from "../../platform/clock.ts";
import { refuse } from "../errors.ts";
import type { AuthPolicy } from "../policy.ts";

export type Asked = keyof AuthPolicy["requestsPerAddress"];

const WINDOW_MS = 300_000;
const GUESS_COSTS = 10;
/** Beyond so many, the address that has been quiet longest is forgotten. */
const MOST_BUCKETS = 50_000;

export interface AddressLimits {
  /** Counts one request. Refuses with over_request_rate_limit when the address has used its share up. */
  count(asked: Asked, ip: string | undefined): void;
  /** A sign-in that was counted turned out to be a guess. */
  countGuess(ip: string | undefined): void;
}

interface Bucket {
  left: number;
  at: number;
}

export function createAddressLimits(
  limits: AuthPolicy["requestsPerAddress"],
  clock: Clock,
  limitsThisMachine = false,
): AddressLimits {
  const buckets = new Map<string, Bucket>();

  const fill = (bucket: Bucket | undefined, limit: number, now: number) =>
    bucket ? Math.min(limit, bucket.left + ((now - bucket.at) * limit) / WINDOW_MS) : limit;

  function take(asked: Asked, ip: string | undefined, cost: number): boolean {
    if ((ip === undefined || isThisMachine(ip)) && !limitsThisMachine) return true;
    const key = `${asked} ${ip ?? ""}`;
    const now = clock.now();
    const left = fill(buckets.get(key), limits[asked], now);
    if (left < 1) return false;
    buckets.delete(key); // the one that asked last stands last
    buckets.set(key, { left: left - cost, at: now });
    const [oldest] = buckets.keys();
    if (buckets.size > MOST_BUCKETS) buckets.delete(oldest!);
    return true;
  }

  return {
    count(asked, ip) {
      if (!take(asked, ip, 1)) throw refuse("over_request_rate_limit");
    },
    countGuess(ip) {
      take("token", ip, GUESS_COSTS - 1);
    },
  };
}

/** A proxy on this machine that is not trusted speaks for everybody, so that all visitors look like this machine. */
const isThisMachine = (ip: string) => ip === "::1" || ip.startsWith("127.");
