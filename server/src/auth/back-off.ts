// How fast one account's password can be guessed, from however many addresses. Counted for unknown addresses as well, so
// that the answer tells nobody which is which. An owner is not kept out by somebody else's guesses: a network the account
// has signed in from before is counted by itself.
import { createHash } from "node:crypto";
import type { Executor } from "../postgres/database.ts";
import { networkOf } from "./address-limits.ts";
import { refuse } from "./errors.ts";
import type { Asker, AuthParts } from "./parts.ts";
import {
  countSignInFailure,
  findSignInFailures,
  forgetSignInFailures,
  type SignInFailures,
  sessionAddresses,
} from "./queries.ts";

/** Failures further apart belong to different tries. */
const FORGOTTEN_AFTER_MS = 3_600_000;

const hashOf = (email: string) => createHash("sha256").update(email).digest("base64url");

/** Refuses with over_request_rate_limit while the account has to wait. Returns what the next guess counts for. */
export async function checkBackOff(
  parts: AuthParts,
  tx: Executor,
  asker: Asker,
  account: { email: string; id: string | undefined },
): Promise<string> {
  const everybody = hashOf(account.email);
  if (!mustWait(parts, await findSignInFailures(tx, everybody))) return everybody;
  const network = networkOf(asker.ip);
  const known = account.id === undefined ? [] : await sessionAddresses(tx, account.id);
  if (network === undefined || !known.some((ip) => networkOf(ip) === network)) {
    throw refuse("over_request_rate_limit");
  }
  const own = hashOf(`${account.email} ${network}`);
  if (mustWait(parts, await findSignInFailures(tx, own))) throw refuse("over_request_rate_limit");
  return own;
}

function mustWait({ policy, clock }: AuthParts, failed: SignInFailures | undefined): boolean {
  const over = (failed?.failures ?? 0) - policy.guessesPerAccount;
  if (!failed || over < 0) return false;
  const seconds = Math.min(policy.longestBackOffSeconds, 2 ** over);
  return clock.now() < failed.failed_at.getTime() + seconds * 1000;
}

/** `counted`: as checkBackOff has returned it. */
export async function countGuess(parts: AuthParts, asker: Asker, counted: string): Promise<void> {
  parts.limits.countGuess(asker.ip);
  const now = parts.clock.now();
  await countSignInFailure(parts.database, counted, new Date(now), new Date(now - FORGOTTEN_AFTER_MS));
}

export const forgetGuesses = (tx: Executor, counted: string): Promise<void> =>
  forgetSignInFailures(tx, counted);
