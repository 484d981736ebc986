// Changing a user's phone number, or adding the first one: a code goes to the new number, and typing it makes the change.
import type { Executor } from "../../postgres/executor.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import { deleteOneTimeTokens, endSentCodes, hasOneTimeToken } from "../links/queries.ts";
import { notifyOwner } from "../mails/notices.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { prepareText } from "../texts/codes.ts";
import type { Channel } from "../texts/phone.ts";
import { isDuplicate } from "./email-change.ts";
import { putOwnIdentity } from "./own-identity.ts";
import { findUserById, isTaken, updateUser, type UserRow } from "./queries.ts";
import { releaseUnclaimed } from "./unclaimed.ts";

/** Begins a change or restarts it: an earlier code no longer counts. */
export async function beginPhoneChange(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  change: { phone: string; channel: Channel },
): Promise<void> {
  const now = new Date(parts.clock.now());
  await deleteOneTimeTokens(tx, user.id, ["phone_change_token"]);
  await updateUser(tx, user.id, { phone_change: change.phone }, now);
  if (!parts.settings.SMS_AUTOCONFIRM) return textChange(parts, tx, caller, user, change);
  const changing = { ...user, phone_change: change.phone };
  await completePhoneChange(parts, tx, caller, changing, now);
}

/** Texts another code for a change already begun. */
export async function textPhoneChangeAgain(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
): Promise<void> {
  if (!(await hasOneTimeToken(tx, user.id, "phone_change_token"))) return;
  await textChange(parts, tx, caller, user, { phone: user.phone_change!, channel: "sms" });
}

/** To the caller, a taken number looks like any other; the code is sent to nobody. */
async function textChange(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  { phone, channel }: { phone: string; channel: Channel },
): Promise<void> {
  const taken = await isTaken(tx, "phone", phone);
  await prepareText(parts, tx, user, { kind: "phone_change", phone, channel, texted: !taken });
}

/** The code from the new number makes the change. */
export async function acceptPhoneChange(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  now: Date,
): Promise<UserRow> {
  await releaseUnclaimed(parts, tx, caller, user, "phone", user.phone_change!);
  return completePhoneChange(parts, tx, caller, user, now);
}

async function completePhoneChange(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  now: Date,
): Promise<UserRow> {
  const phone = user.phone_change!;
  const changes = {
    phone,
    phone_change: "",
    phone_confirmed_at: now,
    is_anonymous: false,
    raw_user_meta_data: { ...user.raw_user_meta_data, phone_verified: true },
  };
  await updateUser(tx, user.id, changes, now).catch((error: unknown) => {
    throw isDuplicate(error) ? refuse("phone_exists", undefined, { cause: error }) : error;
  });
  await putOwnIdentity(tx, user, "phone", { phone, phone_verified: true }, now);
  await endSentCodes(tx, user.id);
  await audit(parts, tx, caller, "user_modified", user);
  await notifyOwner(parts, tx, user, "phone_changed", phone);
  return (await findUserById(tx, user.id, "no lock"))!;
}
