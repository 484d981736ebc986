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
const FORGOTTEN_AFTER_MS = 3_600_000;

const hashOf = (email: string) => createHash("sha256").update(email).digest("base64url");

/** The counters that a guess adds to: the account from this network, and the account from everywhere. */
export type Counted = readonly string[];

/** Refuses with over_request_rate_limit while the network has to wait. Returns the counters for the next guess. */
export async function checkBackOff(
  parts: AuthParts,
  tx: Executor,
  caller: Caller,
  account: { email: string; id: string | undefined },
): Promise<Counted> {
  const { guessesPerAccount, guessesFromEverywhere } = parts.policy;
  const own = hashOf(`${account.email} ${caller.ip ?? ""}`);
  if (mustWait(parts, await findSignInFailures(tx, own), guessesPerAccount)) {
    throw refuse("over_request_rate_limit");
  }
  const everywhere = hashOf(account.email);
  if (!mustWait(parts, await findSignInFailures(tx, everywhere), guessesFromEverywhere)) {
    return [own, everywhere];
  }
  const isFamiliar = account.id !== undefined && (await wasUsedFrom(tx, account.id, caller.ip));
  if (!isFamiliar) throw refuse("over_request_rate_limit");
  return [own];
}

function mustWait({ policy, clock }: AuthParts, failed: SignInFailures | undefined, free: number): boolean {
  const over = (failed?.failures ?? 0) - free;
  if (!failed || over < 0) return false;
  const seconds = Math.min(policy.longestBackOffSeconds, 2 ** over);
  return clock.now() < failed.failed_at.getTime() + seconds * 1000;
}

/** `counted`: as checkBackOff has returned it. */
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
  const level = failures === parts.policy.guessesPerAccount ? "warn" : "info";
  parts.log[level]({ ip: caller.ip, requestId: caller.requestId, failures }, what);
  // What one network sends beyond its own share makes nobody else wait.
  if (everywhere !== undefined && failures <= parts.policy.guessesPerAccount) await count(everywhere);
}

export async function forgetGuesses(tx: Executor, counted: Counted): Promise<void> {
  for (const key of counted) await forgetSignInFailures(tx, key);
}
