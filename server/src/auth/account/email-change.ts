// Changing a user's address: the old and the new one each get a link, and only both together make the change, so that
// neither a stolen session nor a typing error takes an account away.
import { DatabaseError } from "pg";
import type { Executor } from "../../postgres/database.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import type { Challenge } from "../links/flows.ts";
import { deleteOneTimeTokens, type OneTimeTokenType } from "../links/queries.ts";
import { prepareLink, prepareNotice } from "../links/links.ts";
import type { Caller, AuthParts } from "../parts.ts";
import { findUserByEmail, findUserById, updateEmailIdentity, updateUser, type UserRow } from "./queries.ts";

/**
 * Begins a change, or begins it anew: an earlier confirmation of one address no longer counts. For an address that
 * somebody has already all looks the same, but its owner gets a notice instead of the link.
 */
export async function prepareEmailChange(
  parts: AuthParts,
  tx: Executor,
  caller: Caller,
  user: UserRow,
  newEmail: string,
  challenge: Challenge | undefined,
): Promise<void> {
  const taken = (await findUserByEmail(tx, newEmail, "no lock")) !== undefined;
  const wishes = { newEmail, challenge };
  const current = { ...wishes, kind: "email_change_current", to: user.email! } as const;
  await prepareLink(parts, tx, caller, user, current);
  const next = { ...wishes, kind: "email_change_new", to: newEmail, mailed: !taken } as const;
  await prepareLink(parts, tx, caller, user, next);
  if (taken) await prepareNotice(parts, tx, "address_taken", newEmail);
  const changes = { email_change: newEmail, email_change_confirm_status: 0 };
  await updateUser(tx, user.id, changes, new Date(parts.clock.now()));
}

/** Both the old and the new address have to agree; the second of them makes the change. */
export async function acceptEmailChange(
  parts: AuthParts,
  tx: Executor,
  caller: Caller,
  user: UserRow,
  type: OneTimeTokenType,
  now: Date,
): Promise<UserRow | "half confirmed"> {
  await deleteOneTimeTokens(tx, user.id, [type]);
  if (user.email_change_confirm_status === 0) {
    await updateUser(tx, user.id, { email_change_confirm_status: 1 }, now);
    await audit(parts, tx, caller, "user_modified", user);
    return "half confirmed";
  }
  const email = user.email_change!;
  const metadata = { ...user.raw_user_meta_data, email, email_verified: true };
  const changes = { email, email_change: "", email_change_confirm_status: 0, raw_user_meta_data: metadata };
  await updateUser(tx, user.id, changes, now).catch((error: unknown) => {
    throw isDuplicate(error) ? refuse("email_exists", undefined, { cause: error }) : error;
  });
  await updateEmailIdentity(tx, user.id, { email, email_verified: true }, now);
  // A password reset mailed to the old address must not outlive the move.
  await deleteOneTimeTokens(tx, user.id, [
    "recovery_token",
    "confirmation_token",
    "email_change_token_current",
    "email_change_token_new",
  ]);
  await audit(parts, tx, caller, "user_modified", user);
  return (await findUserById(tx, user.id, "no lock"))!;
}

/** SQLSTATE 23505: somebody else took the address in the meantime. */
export const isDuplicate = (error: unknown) => error instanceof DatabaseError && error.code === "23505";
