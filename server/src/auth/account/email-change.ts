// Changing a user's address: the old and the new one each get a link, and only both together make the change, so that neither
// a stolen session nor a typo takes an account away. If secure change is off, or there was no address before, the new one
// alone confirms.
import { DatabaseError } from "pg";
import type { Executor } from "../../postgres/executor.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import type { Challenge } from "../links/flows.ts";
import {
  deleteOneTimeTokens,
  EMAIL_CHANGE_TOKENS,
  endMailedLinks,
  hasOneTimeToken,
  type OneTimeTokenType,
} from "../links/queries.ts";
import { prepareLink, prepareNotice } from "../links/links.ts";
import { notifyOwner } from "../mails/notices.ts";
import type { AuthCaller, AuthParts } from "../parts.ts";
import { putOwnIdentity } from "./own-identity.ts";
import { findUserById, isTaken, updateUser, type UserRow } from "./queries.ts";
import { releaseUnclaimed } from "./unclaimed.ts";

/** Begins a change or restarts it: earlier links and confirmations no longer count. */
export async function beginEmailChange(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  newEmail: string,
  challenge: Challenge | undefined,
): Promise<void> {
  const now = new Date(parts.clock.now());
  await deleteOneTimeTokens(tx, user.id, EMAIL_CHANGE_TOKENS);
  if (user.is_anonymous && parts.settings.MAILER_AUTOCONFIRM) {
    await completeEmailChange(parts, tx, caller, { ...user, email_change: newEmail }, now);
    return;
  }
  const wanted = needsBoth(parts, user) ? EMAIL_CHANGE_TOKENS : ([EMAIL_CHANGE_TOKENS[1]] as const);
  for (const type of wanted) await mailHalf(parts, tx, caller, user, type, newEmail, challenge);
  const changes = { email_change: newEmail, email_change_confirm_status: 0 };
  await updateUser(tx, user.id, changes, now);
}

const needsBoth = ({ settings }: AuthParts, user: UserRow) =>
  settings.MAILER_SECURE_EMAIL_CHANGE_ENABLED && Boolean(user.email);

/** Mails the links again that have not been opened yet. Anyone may request this, so it undoes nothing. */
export async function mailEmailChangeAgain(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  challenge: Challenge | undefined,
): Promise<void> {
  for (const type of EMAIL_CHANGE_TOKENS) {
    const isOpen = await hasOneTimeToken(tx, user.id, type);
    if (isOpen) await mailHalf(parts, tx, caller, user, type, user.email_change!, challenge);
  }
}

/** To the caller, a taken address looks like any other; its owner gets a notice instead of the link. */
async function mailHalf(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  type: (typeof EMAIL_CHANGE_TOKENS)[number],
  newEmail: string,
  challenge: Challenge | undefined,
): Promise<void> {
  if (type === "email_change_token_current") {
    const current = { kind: "email_change_current", to: user.email!, newEmail, challenge } as const;
    await prepareLink(parts, tx, caller, user, current);
    return;
  }
  const taken = await isTaken(tx, "email", newEmail);
  const next = { kind: "email_change_new", to: newEmail, newEmail, challenge, mailed: !taken } as const;
  await prepareLink(parts, tx, caller, user, next);
  if (taken) await prepareNotice(parts, tx, "address_taken", newEmail);
}

/** The one address that has confirmed, while the change waits for the other. */
export interface HalfConfirmed {
  readonly half: "current" | "new";
}

/** Where both the old and the new address have to agree, the second of them makes the change; otherwise the new one does. */
export async function acceptEmailChange(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  type: OneTimeTokenType,
  now: Date,
): Promise<UserRow | HalfConfirmed> {
  await deleteOneTimeTokens(tx, user.id, [type]);
  const isEnough = type === "email_change_token_new" && !needsBoth(parts, user);
  if (user.email_change_confirm_status === 0 && !isEnough) {
    await updateUser(tx, user.id, { email_change_confirm_status: 1 }, now);
    await audit(parts, tx, caller, "user_modified", user);
    return { half: type === "email_change_token_current" ? "current" : "new" };
  }
  await releaseUnclaimed(parts, tx, caller, user, "email", user.email_change!);
  return completeEmailChange(parts, tx, caller, user, now);
}

async function completeEmailChange(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  now: Date,
): Promise<UserRow> {
  const email = user.email_change!;
  const changes = {
    email,
    email_confirmed_at: user.email_confirmed_at ?? now,
    email_change: "",
    email_change_confirm_status: 0,
    is_anonymous: false,
    raw_user_meta_data: { ...user.raw_user_meta_data, email, email_verified: true },
  };
  await updateUser(tx, user.id, changes, now).catch((error: unknown) => {
    throw isDuplicate(error) ? refuse("email_exists", undefined, { cause: error }) : error;
  });
  await putOwnIdentity(tx, user, "email", { email, email_verified: true }, now);
  await endMailedLinks(tx, user.id);
  await audit(parts, tx, caller, "user_modified", user);
  await notifyOwner(parts, tx, user, "email_changed", email);
  return (await findUserById(tx, user.id, "no lock"))!;
}

/** SQLSTATE 23505: someone else took the address in the meantime. */
export const isDuplicate = (error: unknown) => error instanceof DatabaseError && error.code === "23505";
