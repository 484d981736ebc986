// Changing a user's address: the old and the new one each get a link, and only both together make the change, so that
// neither a stolen session nor a typing error takes an account away.
import { DatabaseError } from "pg";
import type { Executor } from "../../postgres/executor.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import type { Challenge } from "../links/flows.ts";
import { deleteOneTimeTokens, hasOneTimeToken, type OneTimeTokenType } from "../links/queries.ts";
import { prepareLink, prepareNotice } from "../links/links.ts";
import type { Caller, AuthParts } from "../parts.ts";
import { findUserByEmail, findUserById, updateIdentity, updateUser, type UserRow } from "./queries.ts";

const BOTH = ["email_change_token_current", "email_change_token_new"] as const;

/** Begins a change, or begins it anew: an earlier link or confirmation of one address no longer counts. */
export async function beginEmailChange(
  parts: AuthParts,
  tx: Executor,
  caller: Caller,
  user: UserRow,
  newEmail: string,
  challenge: Challenge | undefined,
): Promise<void> {
  await deleteOneTimeTokens(tx, user.id, BOTH);
  for (const type of BOTH) await mailHalf(parts, tx, caller, user, type, newEmail, challenge);
  const changes = { email_change: newEmail, email_change_confirm_status: 0 };
  await updateUser(tx, user.id, changes, new Date(parts.clock.now()));
}

/** Mails the links again that were not opened yet. Anybody may ask for this, so it undoes nothing. */
export async function mailEmailChangeAgain(
  parts: AuthParts,
  tx: Executor,
  caller: Caller,
  user: UserRow,
  challenge: Challenge | undefined,
): Promise<void> {
  for (const type of BOTH) {
    const isOpen = await hasOneTimeToken(tx, user.id, type);
    if (isOpen) await mailHalf(parts, tx, caller, user, type, user.email_change!, challenge);
  }
}

/** An address that somebody has already looks the same to the caller; its owner gets a notice instead of the link. */
async function mailHalf(
  parts: AuthParts,
  tx: Executor,
  caller: Caller,
  user: UserRow,
  type: (typeof BOTH)[number],
  newEmail: string,
  challenge: Challenge | undefined,
): Promise<void> {
  if (type === "email_change_token_current") {
    const current = { kind: "email_change_current", to: user.email!, newEmail, challenge } as const;
    await prepareLink(parts, tx, caller, user, current);
    return;
  }
  const taken = (await findUserByEmail(tx, newEmail, "no lock")) !== undefined;
  const next = { kind: "email_change_new", to: newEmail, newEmail, challenge, mailed: !taken } as const;
  await prepareLink(parts, tx, caller, user, next);
  if (taken) await prepareNotice(parts, tx, "address_taken", newEmail);
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
  await updateIdentity(tx, user.id, "email", { email, email_verified: true }, now);
  // A password reset mailed to the old address must not outlive the move.
  await deleteOneTimeTokens(tx, user.id, ["recovery_token", "confirmation_token", ...BOTH]);
  await audit(parts, tx, caller, "user_modified", user);
  return (await findUserById(tx, user.id, "no lock"))!;
}

/** SQLSTATE 23505: somebody else took the address in the meantime. */
export const isDuplicate = (error: unknown) => error instanceof DatabaseError && error.code === "23505";
