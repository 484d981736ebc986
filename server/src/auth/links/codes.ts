// The short codes that people type. A link's token cannot be guessed; six digits can, so a code dies after a few wrong guesses
// for its address, few are good at once, and whoever goes on guessing has to wait (decision 068).
import { randomInt } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import { findUserByEmail, findUserByPhone } from "../account/queries.ts";
import { refuse } from "../errors.ts";
import { checkBackOff, countGuess, forgetGuesses } from "../limits/back-off.ts";
import type { AuthParts, Caller } from "../parts.ts";
import { countWrongCode, lockCodes, type OneTimeToken, type OneTimeTokenType } from "./queries.ts";

export const newDigits = (count: number): string =>
  Array.from({ length: count }, () => String(randomInt(10))).join("");

/** What the database keeps of a code: its key is not in the database, so that trying a million codes on a copy tells nothing. */
export const storedCode = ({ atRest }: AuthParts, sentTo: string, code: string): string =>
  atRest.hash(`code ${sentTo} ${code}`);

/** Which code somebody typed, and for what. */
export interface TypedCode {
  /** The address or phone number it was sent to. */
  readonly sentTo: string;
  readonly types: readonly OneTimeTokenType[];
  readonly code: string;
  readonly expiresAfterSeconds: number;
  /** Only a code of this user's. */
  readonly userId?: string;
}

/**
 * Does `work` with the code's token, in a transaction that has locked the user and the token. A wrong code is counted whoever has the
 * address, in a transaction that lasts, and answered alike.
 */
export async function withTypedCode<T>(
  parts: AuthParts,
  caller: Caller,
  typed: TypedCode,
  work: (tx: Executor, token: OneTimeToken) => Promise<T>,
): Promise<{ readonly done: T } | "wrong"> {
  const find = typed.sentTo.includes("@") ? findUserByEmail : findUserByPhone;
  const guessed = {
    key: `code ${typed.sentTo}`,
    userId: async () => typed.userId ?? (await find(parts.database, typed.sentTo, "no lock"))?.id,
  };
  const counted = await checkBackOff(parts, parts.database, caller, guessed);
  const outcome = await parts.database.transaction(async (tx) => {
    const token = await matching(parts, tx, typed);
    if (!token) return "wrong" as const;
    const done = await work(tx, token);
    await forgetGuesses(tx, counted);
    return { done };
  });
  if (outcome === "wrong") await countGuess(parts, caller, counted, "a wrong code");
  return outcome;
}

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
