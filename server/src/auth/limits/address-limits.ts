// How many requests one address may send: a token bucket in the process, as in GoTrue, which starts full and refills evenly
// over five minutes. The limits are far wider than GoTrue's, because a festival's crowd shares addresses. A wrong password
// counts ten times instead.
import type { Clock } from "../../platform/clock.ts";
import { refuse } from "../errors.ts";
import type { AuthPolicy } from "../policy.ts";

export type Asked = keyof AuthPolicy["requestsPerAddress"];

const WINDOW_MS = 300_000;
const GUESS_COSTS = 10;
/** Above this number, the address that has been quiet longest is dropped. */
const MOST_BUCKETS = 50_000;

export interface AddressLimits {
  /** Counts one request. Refuses with over_request_rate_limit when the address has used up its share. */
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
    buckets.delete(key); // the most recent one goes last
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

/** Behind a proxy on this machine that is not trusted, all visitors have its address. */
const isThisMachine = (ip: string) => ip === "::1" || ip.startsWith("127.");
