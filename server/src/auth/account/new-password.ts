// A new password for a signed-in account: who may set one, and which ones are allowed.
import { refuse } from "../errors.ts";
import { withGuess } from "../limits/back-off.ts";
import type { AuthParts, Caller } from "../parts.ts";
import { checkStrength } from "../passwords/passwords.ts";
import type { Account } from "./require-account.ts";
import { checkNonce } from "./reauthentication.ts";

export interface PasswordWanted {
  readonly password: string;
  /** The old password, or a nonce from GET /reauthenticate, when the session is not fresh. */
  readonly current_password?: string | undefined;
  readonly nonce: string;
}

/** The hash to store. */
export async function newPassword(
  parts: AuthParts,
  caller: Caller,
  account: Account,
  wanted: PasswordWanted,
): Promise<string> {
  const { user } = account;
  const turn = turnOf(caller, user);
  await checkStrength(wanted.password, parts.settings, [user.email]);
  await checkOwner(parts, caller, account, wanted);
  if (await parts.passwords.matches(wanted.password, user.encrypted_password, turn)) {
    throw refuse("same_password");
  }
  return parts.passwords.hash(wanted.password, turn);
}

/** By id: a signed-in user does not wait behind strangers who guess at their address. */
const turnOf = (caller: Caller, user: Account["user"]) => ({ ip: caller.ip, account: user.id });

/** A stranger at a signed-in computer must not take over the account. */
async function checkOwner(
  parts: AuthParts,
  caller: Caller,
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
