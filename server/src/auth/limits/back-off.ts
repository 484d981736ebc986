// How fast a password, a code or a second step of one account can be guessed. Each network waits for its own guesses, so that a
// stranger cannot lock the owner out. After guesses from many networks, every network waits except those the account was used
// from. Unknown addresses are counted too, so that a refusal does not reveal who has an account.
import { createHash } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import { refuse } from "../errors.ts";
import type { Caller, AuthParts } from "../parts.ts";
import {
  countSignInFailure,
  findSignInFailures,
  forgetSignInFailures,
  type SignInFailures,
  wasUsedFrom,
} from "./queries.ts";

/** A failure longer ago than this no longer counts. */
export const FORGOTTEN_AFTER_MS = 3_600_000;

/** What someone guesses at. */
export interface Guessed {
  /** Distinguishes the password of an account from a code sent to it and from its second step. */
  readonly key: string;
  /** Undefined when nobody has the address. Called only where it matters, so that both lookups can run at once. */
  userId(): Promise<string | undefined> | string | undefined;
}

const hashOf = (key: string) => createHash("sha256").update(key).digest("base64url");

/** The counters that a guess adds to: the account from this network, and the account from everywhere. */
export type Counted = readonly string[];

/**
 * Refuses with over_request_rate_limit and a retry-after while the network has to wait. Returns the counters for the next
 * guess.
 */
export async function checkBackOff(
  parts: AuthParts,
  tx: Executor,
  caller: Caller,
  guessed: Guessed,
): Promise<Counted> {
  const { guessesPerAccount, guessesFromEverywhere } = parts.policy;
  const own = hashOf(`${guessed.key} ${caller.ip ?? ""}`);
  const everywhere = hashOf(guessed.key);
  const failures = await findSignInFailures(tx, [own, everywhere]);
  const ownWait = secondsLeft(parts, failures.get(own), guessesPerAccount);
  if (ownWait > 0) throw mustWait(ownWait);
  const wait = secondsLeft(parts, failures.get(everywhere), guessesFromEverywhere);
  if (wait === 0) return [own, everywhere];
  const userId = await guessed.userId();
  const isFamiliar = userId !== undefined && (await wasUsedFrom(tx, userId, caller.ip));
  if (!isFamiliar) throw mustWait(wait);
  return [own];
}

const mustWait = (retryAfter: number) => refuse("over_request_rate_limit", undefined, { retryAfter });

function secondsLeft({ policy, clock }: AuthParts, failed: SignInFailures | undefined, free: number): number {
  const over = (failed?.failures ?? 0) - free;
  if (!failed || over < 0) return 0;
  const seconds = Math.min(policy.longestBackOffSeconds, 2 ** over);
  return Math.max(0, Math.ceil((failed.failed_at.getTime() - clock.now()) / 1000 + seconds));
}

/** `counted`: the return value of checkBackOff. */
export async function countGuess(
  parts: AuthParts,
  caller: Caller,
  [own, everywhere]: Counted,
  what = "a wrong password",
): Promise<void> {
  parts.limits.countGuess(caller.ip);
  const now = parts.clock.now();
  const count = (key: string) =>
    countSignInFailure(parts.database, key, new Date(now), new Date(now - FORGOTTEN_AFTER_MS));
  const failures = await count(own!);
  const fields = { ip: caller.ip, requestId: caller.requestId, failures };
  if (failures === parts.policy.guessesPerAccount) parts.log.warn(fields, what);
  else parts.refusals.note(what, fields, what);
  // Guesses beyond a network's own limit make nobody else wait.
  if (everywhere !== undefined && failures <= parts.policy.guessesPerAccount) await count(everywhere);
}

export async function forgetGuesses(tx: Executor, counted: Counted): Promise<void> {
  // Always in this order: in a single statement, two sign-ins of one account could deadlock.
  await Promise.all(counted.map((key) => forgetSignInFailures(tx, key)));
}
