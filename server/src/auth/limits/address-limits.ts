// How many requests one address may send in five minutes, and how many messages go out in an hour. The limits per address are
// far wider than GoTrue's, because a crowd in one place shares addresses. Instead, a wrong password or code counts ten times.
import type { Clock } from "../../platform/clock.ts";
import { refuse } from "../errors.ts";
import type { AuthPolicy } from "../policy.ts";
import type { AuthSettings } from "../settings/settings.ts";
import type { Rate } from "../settings/values.ts";
import { createBuckets } from "./buckets.ts";

type RequestKind = keyof AuthPolicy["requestsPerAddress"];

const WINDOW_SECONDS = 300;
const GUESS_COSTS = 10;
/** Above this number, the address whose last guess is oldest is forgotten. */
const MOST_GUESSING = 50_000;

type SentLimits = Pick<
  AuthSettings,
  "RATE_LIMIT_EMAIL_SENT" | "RATE_LIMIT_SMS_SENT" | "RATE_LIMIT_ANONYMOUS_USERS"
>;

export interface AddressLimits {
  /** Counts one request. Refuses with over_request_rate_limit when the address has used up its share. */
  count(kind: RequestKind, ip: string | undefined): void;
  /** Counts one anonymous account. */
  countAnonymous(ip: string | undefined): void;
  /** Counts a sign-in again that turned out to be a guess. */
  countGuess(ip: string | undefined): void;
  /** Whether a guess came from the address within the last five minutes. */
  isGuessing(ip: string): boolean;
  /** Counts a message from this server, to any recipient. Refuses when the hour's share is used up. */
  countSent(what: "mails" | "texts"): void;
}

/** GoTrue's value. */
const ANONYMOUS_USERS: Rate = { events: 30, seconds: 3600 };

export function createAddressLimits(
  limits: AuthPolicy["requestsPerAddress"],
  clock: Clock,
  limitsThisMachine = false,
  sent: SentLimits = {},
): AddressLimits {
  const take = createBuckets(clock);
  /** When each address last guessed, the most recent last. */
  const guessedAt = new Map<string, number>();
  const isExempt = (ip: string | undefined) => (ip === undefined || isThisMachine(ip)) && !limitsThisMachine;

  function takeFor(key: string, rate: Rate, ip: string | undefined, cost: number): number {
    if (isExempt(ip)) return 0;
    return take(`${key} ${ip ?? ""}`, rate, cost);
  }
  const share = (kind: RequestKind): Rate => ({ events: limits[kind], seconds: WINDOW_SECONDS });

  return {
    count(kind, ip) {
      const retryAfter = takeFor(kind, share(kind), ip, 1);
      if (retryAfter > 0) throw refuse("over_request_rate_limit", undefined, { retryAfter });
    },
    countAnonymous(ip) {
      const rate = sent.RATE_LIMIT_ANONYMOUS_USERS ?? ANONYMOUS_USERS;
      const retryAfter = takeFor("anonymous", rate, ip, 1);
      if (retryAfter > 0) throw refuse("over_request_rate_limit", undefined, { retryAfter });
    },
    countGuess(ip) {
      takeFor("token", share("token"), ip, GUESS_COSTS - 1);
      if (ip === undefined || isExempt(ip)) return;
      guessedAt.delete(ip);
      guessedAt.set(ip, clock.now());
      const [oldest] = guessedAt.keys();
      if (guessedAt.size > MOST_GUESSING) guessedAt.delete(oldest!);
    },
    isGuessing: (ip) => clock.now() - (guessedAt.get(ip) ?? -Infinity) < WINDOW_SECONDS * 1000,
    countSent(what) {
      const rate = what === "mails" ? sent.RATE_LIMIT_EMAIL_SENT : sent.RATE_LIMIT_SMS_SENT;
      const retryAfter = rate ? take(what, rate) : 0;
      if (retryAfter === 0) return;
      throw what === "mails"
        ? refuse("over_email_send_rate_limit", "email rate limit exceeded", { retryAfter })
        : refuse("over_sms_send_rate_limit", "SMS rate limit exceeded", { retryAfter });
    },
  };
}

/** Behind an untrusted proxy on this machine, all visitors have its address. */
const isThisMachine = (ip: string) => ip === "::1" || ip.startsWith("127.");
