// A new password for a signed-in account: who may set one, and which ones are allowed.
import type { Executor } from "../../postgres/executor.ts";
import { refuse } from "../errors.ts";
import { withGuess } from "../limits/back-off.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { checkStrength } from "../passwords/passwords.ts";
import type { UserRow } from "./queries.ts";
import { type Account, requireAgain } from "./require-account.ts";
import { checkNonce } from "./reauthentication.ts";

export interface PasswordWanted {
  readonly password: string;
  /** The old password, or a nonce from GET /reauthenticate, when the session is not fresh. */
  readonly current_password?: string | undefined;
  readonly nonce: string;
}

/**
 * Calls `store` with the new password's hash. A refusal as `same_password` tells the current one to whoever did not know it. So
 * each request is a guess, and a wrong one unless the password changes.
 */
export async function withNewPassword<T>(
  parts: AuthParts,
  caller: AuthCaller,
  account: Account,
  wanted: PasswordWanted,
  store: (hash: string) => Promise<T>,
): Promise<T> {
  const { user } = account;
  const turn = turnOf(caller, user);
  await checkStrength(wanted.password, parts, [user.email]);
  const guessed = { kind: "new password", subject: user.id, userId: () => user.id } as const;
  return withGuess(parts, caller, guessed, async (guess) => {
    // Only here: a request that has to wait must not use up its nonce.
    await checkOwner(parts, caller, account, wanted);
    await requireSamePassword(parts, parts.database, account, "no lock");
    try {
      if (await parts.passwords.matches(wanted.password, user.encrypted_password, turn)) {
        throw refuse("same_password");
      }
      return await store(await parts.passwords.hash(wanted.password, turn));
    } catch (error) {
      guess.isWrong("a new password that was not stored");
      throw error;
    }
  });
}

/** As `requireAgain`; also refuses when the password is no longer the one that this request's passwords were compared with. */
export async function requireSamePassword(
  parts: AuthParts,
  tx: Executor,
  account: Account,
  lock?: "no lock",
): Promise<UserRow> {
  const user = await requireAgain(parts, tx, account, lock);
  if (user.encrypted_password === account.user.encrypted_password) return user;
  throw refuse("conflict", "The password was changed in the meantime");
}

/** By id: a signed-in user does not wait behind strangers who guess at their address. */
const turnOf = (caller: AuthCaller, user: Account["user"]) => ({ ip: caller.ip, account: user.id });

/** A stranger at a signed-in computer must not take over the account. */
async function checkOwner(
  parts: AuthParts,
  caller: AuthCaller,
  { user, session }: Account,
  { current_password: currentPassword, nonce }: PasswordWanted,
): Promise<void> {
  if (currentPassword !== undefined) {
    const guessed = { kind: "current password", subject: user.id, userId: () => user.id } as const;
    return withGuess(parts, caller, guessed, async (guess) => {
      if (await parts.passwords.matches(currentPassword, user.encrypted_password, turnOf(caller, user))) {
        return guess.isRight(parts.database);
      }
      guess.isWrong();
      throw refuse("invalid_credentials", "The current password is wrong");
    });
  }
  if (!parts.settings.SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION) return;
  const freshUntil = (session?.created_at.getTime() ?? 0) + parts.policy.freshSeconds * 1000;
  if (parts.clock.now() < freshUntil) return;
  if (nonce === "") throw refuse("reauthentication_needed");
  await checkNonce(parts, caller, user, nonce);
}
