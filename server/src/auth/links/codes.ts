// The short codes that people type. A link's token cannot be guessed, but six digits can. So a code dies after a few wrong
// guesses for its address, only a few are valid at once, and whoever keeps guessing has to wait (decision 068).
import { randomInt } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import { findUserByEmail, findUserByPhone } from "../account/queries.ts";
import { refuse } from "../errors.ts";
import { type Guessed, withGuess } from "../limits/back-off.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import {
  CHANGE_TOKENS,
  countWrongCode,
  lockCodes,
  type OneTimeToken,
  type OneTimeTokenType,
} from "./queries.ts";

export const newDigits = (count: number): string =>
  Array.from({ length: count }, () => String(randomInt(10))).join("");

/**
 * What the database keeps of a code. The hash key is not in the database, so trying a million codes on a copy reveals
 * nothing.
 */
export const storedCode = ({ atRest }: AuthParts, sentTo: string, code: string): string =>
  atRest.hash(`code ${sentTo} ${code}`);

/** The code that was typed, and its purpose. */
export interface TypedCode {
  /** The address or phone number it was sent to. */
  readonly sentTo: string;
  readonly types: readonly OneTimeTokenType[];
  readonly code: string;
  readonly expiresAfterSeconds: number;
  /** Only codes of this user count. */
  readonly userId?: string;
}

/**
 * Calls `work` with the code's token, in a transaction that has locked the user and the token. A wrong code gets the same
 * answer whether or not the address has an account, and is counted in a transaction that commits.
 */
export async function withTypedCode<T>(
  parts: AuthParts,
  caller: AuthCaller,
  typed: TypedCode,
  work: (tx: Executor, token: OneTimeToken) => Promise<T>,
): Promise<{ readonly done: T } | "wrong"> {
  const find = typed.sentTo.includes("@") ? findUserByEmail : findUserByPhone;
  const guessed: Guessed = {
    ...(typed.userId === undefined
      ? { kind: typed.types.some(changes) ? "change code" : "code", subject: typed.sentTo }
      : { kind: "nonce", subject: typed.userId }),
    userId: async () => typed.userId ?? (await find(parts.database, typed.sentTo, "no lock"))?.id,
  };
  return withGuess(parts, caller, guessed, async (guess) => {
    const outcome = await parts.database.transaction(async (tx) => {
      const token = await matching(parts, tx, typed);
      if (!token) return "wrong" as const;
      const done = await work(tx, token);
      await guess.isRight(tx);
      return { done };
    });
    if (outcome === "wrong") guess.isWrong("a wrong code");
    return outcome;
  });
}

const changes = (type: OneTimeTokenType) => CHANGE_TOKENS.includes(type);

async function matching(parts: AuthParts, tx: Executor, typed: TypedCode): Promise<OneTimeToken | undefined> {
  if (typed.code.includes("\0")) throw refuse("otp_expired");
  // GoTrue reads 123-456 as 123456.
  const stored = storedCode(parts, typed.sentTo, typed.code.replaceAll("-", ""));
  const sentAfter = new Date(parts.clock.now() - typed.expiresAfterSeconds * 1000);
  const tokens = await lockCodes(tx, { ...typed, sentAfter, mostGuesses: parts.policy.guessesPerCode });
  const right = tokens.find(({ code_hash }) => code_hash === stored);
  if (!right) await countWrongCode(tx, typed.sentTo, typed.types);
  return right;
}
