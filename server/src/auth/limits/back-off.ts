// How fast a password, a code or a second step of one account can be guessed. Each network waits for its own guesses, so that a
// stranger cannot lock the owner out. After guesses from many networks, every network waits except those of sessions that a
// guesser could not have opened. Unknown addresses are counted too, so that a refusal does not reveal who has an account. A guess
// is counted before it is judged, in the statement that checks the limit: of many sent at once, to any process, no more are
// judged than one by one.
import { createHash } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import { refuse } from "../errors.ts";
import type { AuthCaller, AuthParts } from "../parts.ts";
import type { Aal } from "../sessions/queries.ts";
import {
  findSignInFailures,
  forgetSignInFailures,
  reserveGuess,
  type SignInFailures,
  takeBackSignInFailure,
  wasUsedFrom,
} from "./queries.ts";

/** A failure longer ago than this no longer counts. */
export const FORGOTTEN_AFTER_MS = 3_600_000;

/**
 * Whose networks go on while all others wait: those of sessions that nobody can open who still has to guess. Whoever guesses at a
 * second step has opened a session with the first and can refresh it on any network. What a change of password, address or number
 * asks for is asked of someone with a session, perhaps a stolen one.
 */
const FAMILIAR = {
  password: "aal1",
  code: "aal1",
  "change code": undefined,
  "second step": "aal2",
  "current password": undefined,
  "new password": undefined,
  nonce: undefined,
} as const satisfies Record<string, Aal | undefined>;

/** What someone guesses at. Each kind is counted by itself: whoever may guess at one must not use up the guesses at another. */
export interface Guessed {
  readonly kind: keyof typeof FAMILIAR;
  /** Whose it is: an account's id, or an address as it was typed. */
  readonly subject: string;
  /** Undefined when nobody has the address. Called only where it matters, so that both lookups can run at once. */
  userId(): Promise<string | undefined> | string | undefined;
}

/** The key of what a network guesses at, or of everybody's guesses at it. As JSON, a typed text cannot pass for several parts. */
const counterOf = ({ kind, subject }: Guessed, ...network: readonly string[]) =>
  createHash("sha256")
    .update(JSON.stringify([kind, subject, ...network]))
    .digest("base64url");

/** One guess, already counted. */
export interface Guess {
  /** Keeps the count, also when called twice. `what`: the words for the log. */
  isWrong(what?: string): void;
  /** Forgets the guesses so far, if the transaction commits. */
  isRight(tx: Executor): Promise<void>;
}

/** The counters of a guess, always with the network's own first. */
interface Counted {
  /** Those it was added to. */
  readonly added: readonly string[];
  /** Those a right guess clears. */
  readonly cleared: readonly string[];
  /** The network's own count, this guess included. */
  readonly failures: number;
}

/**
 * Calls `judge` with a guess. Refuses with over_request_rate_limit and a retry-after while the network has to wait. A guess that
 * `judge` calls neither wrong nor right is taken back, as is a right one when `judge` throws. Never call it inside a
 * transaction: it would hold a connection while it waits for other guesses.
 */
export async function withGuess<T>(
  parts: AuthParts,
  caller: AuthCaller,
  guessed: Guessed,
  judge: (guess: Guess) => Promise<T>,
): Promise<T> {
  const own = counterOf(guessed, caller.ip ?? "");
  const { place: counted, end } = await parts.guesses.enter(own, () => count(parts, caller, guessed, own));
  let settled: "wrong" | "right" | undefined;
  const guess: Guess = {
    isWrong(what = "a wrong password") {
      if (settled === "wrong") return;
      settled = "wrong";
      noteWrong(parts, caller, counted.failures, what);
    },
    async isRight(tx) {
      settled = "right";
      // Always in this order: in a single statement, two sign-ins of one account could deadlock.
      await Promise.all(counted.cleared.map((key) => forgetSignInFailures(tx, key)));
    },
  };
  try {
    const judged = await judge(guess);
    if (settled === undefined) await takeBack(parts, counted.added);
    return judged;
  } catch (error) {
    if (settled !== "wrong") await takeBack(parts, counted.added);
    throw error;
  } finally {
    end();
  }
}

/** Adds a guess to its counters, or refuses it and leaves them as they were. */
async function count(parts: AuthParts, caller: AuthCaller, guessed: Guessed, own: string): Promise<Counted> {
  const { guessesPerAccount, guessesFromEverywhere, longestBackOffSeconds } = parts.policy;
  const everywhere = counterOf(guessed);
  const now = parts.clock.now();
  const reserved = await reserveGuess(
    parts.database,
    { key: own, free: guessesPerAccount },
    { key: everywhere, free: guessesFromEverywhere },
    { now: new Date(now), since: new Date(now - FORGOTTEN_AFTER_MS), longestBackOffSeconds },
  );
  const { own: failures, everywhere: inAll } = reserved;
  if (failures === null) {
    const found = await findSignInFailures(parts.database, own);
    // At least a second: another process may have cleared the counter since.
    throw mustWait(Math.max(1, secondsLeft(parts, found, guessesPerAccount)));
  }
  const cleared = [own, everywhere];
  if (inAll !== null) return { added: cleared, cleared, failures };
  // Guesses beyond a network's own limit make nobody else wait, so they are not added to the common counter.
  const isBeyond = failures > guessesPerAccount;
  const found = await findSignInFailures(parts.database, everywhere);
  const wait = Math.max(isBeyond ? 0 : 1, secondsLeft(parts, found, guessesFromEverywhere));
  if (wait === 0) return { added: [own], cleared, failures };
  if (await isFamiliar(parts, caller, guessed)) return { added: [own], cleared: [own], failures };
  await takeBack(parts, [own]);
  throw mustWait(wait);
}

async function isFamiliar({ database }: AuthParts, { ip }: AuthCaller, guessed: Guessed): Promise<boolean> {
  const aal = FAMILIAR[guessed.kind];
  if (aal === undefined) return false;
  const userId = await guessed.userId();
  return userId !== undefined && wasUsedFrom(database, userId, ip, aal);
}

async function takeBack({ database }: AuthParts, added: readonly string[]): Promise<void> {
  for (const key of added) await takeBackSignInFailure(database, key);
}

const mustWait = (retryAfter: number) => refuse("over_request_rate_limit", undefined, { retryAfter });

function secondsLeft({ policy, clock }: AuthParts, failed: SignInFailures | undefined, free: number): number {
  const over = (failed?.failures ?? 0) - free;
  if (!failed || over < 0) return 0;
  const seconds = Math.min(policy.longestBackOffSeconds, 2 ** over);
  return Math.max(0, Math.ceil((failed.failed_at.getTime() - clock.now()) / 1000 + seconds));
}

function noteWrong(parts: AuthParts, caller: AuthCaller, failures: number, what: string): void {
  parts.limits.countGuess(caller.ip);
  const fields = { ip: caller.ip, requestId: caller.requestId, failures };
  if (failures === parts.policy.guessesPerAccount) parts.log.warn(fields, what);
  else parts.refusals.note(what, fields, what);
}
