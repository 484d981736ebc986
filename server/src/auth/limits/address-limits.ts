// How often one address may ask. As in GoTrue a token bucket in the process: it fills evenly over five minutes and starts
// full. Far wider than GoTrue's, because a festival's crowd shares addresses; guessing is made dear instead, a refused
// password counts ten times.
import { isIP } from "node:net";
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
    const network = networkOf(ip) ?? (limitsThisMachine ? "this machine" : undefined);
    if (network === undefined) return true;
    const key = `${asked} ${network}`;
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

/** Who asks, as far as an address can tell; empty when the gateway could not. */
export const requesterOf = (ip: string | undefined): string => networkOf(ip) ?? ip ?? "";

/**
 * Who shares a limit: an IPv4 address, or the first half of an IPv6 one, which is what a subscriber gets. Undefined for
 * this machine itself: a proxy on it that is not trusted speaks for everybody, and sees addresses that we do not.
 */
export function networkOf(ip: string | undefined): string | undefined {
  if (ip === undefined || isIP(ip) === 0) return undefined;
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1] ?? ip.toLowerCase();
  if (plain === "::1" || plain.startsWith("127.")) return undefined;
  if (isIP(plain) === 4) return plain;
  const [head = "", tail] = plain.split("%")[0]!.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail ? tail.split(":") : [];
  const groups = [
    ...before,
    ...Array.from({ length: 8 - before.length - after.length }, () => "0"),
    ...after,
  ];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
