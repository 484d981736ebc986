// Users as an administrator manages them: read, create, change.
import type { Executor } from "../../postgres/executor.ts";
import { administrator, audit } from "../audit.ts";
import { isDuplicate } from "../account/email-change.ts";
import { merged } from "../account/metadata.ts";
import { createUser } from "../account/new-user.ts";
import {
  findUserByEmail,
  findUserById,
  findUserByPhone,
  insertIdentity,
  updateIdentity,
  updateUser,
  type UserChanges,
  type UserRow,
} from "../account/queries.ts";
import { userView, type UserView } from "../account/user-view.ts";
import { refuse } from "../errors.ts";
import { keptBy } from "./deletion.ts";
import { isUuid, parseEmail, parsePhone } from "../http/requests.ts";
import { deleteOneTimeTokens, endMailedLinks, endSentCodes } from "../links/queries.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { checkStrength, isKnownHash } from "../passwords/passwords.ts";
import { deleteSessions } from "../sessions/queries.ts";
import { secondsOf } from "../settings/values.ts";
import { confirmEmail } from "../links/confirmation.ts";

export interface AdminUser {
  readonly id?: string | undefined;
  readonly email: string;
  readonly phone: string;
  readonly password?: string | undefined;
  readonly password_hash: string;
  readonly role?: string | undefined;
  readonly email_confirm: boolean;
  readonly phone_confirm: boolean;
  readonly user_metadata?: Record<string, unknown> | undefined;
  readonly app_metadata?: Record<string, unknown> | undefined;
  readonly ban_duration?: string | undefined;
}

const NIL_UUID = "00000000-0000-0000-0000-000000000000";

export async function addUser(parts: AuthParts, caller: AuthCaller, given: AdminUser): Promise<UserView> {
  if (given.email === "" && given.phone === "") {
    throw refuse("validation_failed", "Cannot create a user without either an email or phone");
  }
  if (given.id !== undefined && !isUuid(given.id)) {
    throw refuse("validation_failed", "ID must conform to the uuid v4 format");
  }
  if (given.id === NIL_UUID) throw refuse("validation_failed", "ID cannot be a nil uuid");
  const { email, phone } = addressesOf(given);
  const encryptedPassword = await passwordOf(parts, caller, given, [email]);
  const now = new Date(parts.clock.now());
  const bannedUntil = banEnd(given.ban_duration, now);
  return parts.database.transaction(async (tx) => {
    await refuseTaken(tx, { email, phone }, undefined);
    const created = await createUser(
      parts,
      tx,
      {
        ...(given.id !== undefined && { id: given.id.toLowerCase() }),
        ...(given.role !== undefined && { role: given.role }),
        ...{ email: email ?? null, phone: phone ?? null, encryptedPassword: encryptedPassword ?? null },
        emailConfirmedAt: email !== undefined && given.email_confirm ? now : null,
        phoneConfirmedAt: phone !== undefined && given.phone_confirm ? now : null,
        userMetadata: { ...given.user_metadata, ...(given.email_confirm && { email_verified: true }) },
        appMetadata: given.app_metadata,
        identities: [
          ...(email === undefined ? [] : [{ provider: "email", data: emailData(email, false) }]),
          ...(phone === undefined ? [] : [{ provider: "phone", data: phoneData(phone, false) }]),
        ],
      },
      now,
    );
    if (!created) {
      const isById = given.id !== undefined && (await findUserById(tx, given.id, "no lock"));
      throw isById
        ? refuse("user_already_exists", "A user with this ID has already been registered")
        : refuse("email_exists");
    }
    if (bannedUntil) await updateUser(tx, created.id, { banned_until: bannedUntil }, now);
    await audit(parts, tx, caller, "user_signedup", administrator(caller), {
      ...{ user_id: created.id, user_email: email ?? "", user_phone: phone ?? "" },
      provider: email === undefined ? "phone" : "email",
    });
    return userView({ ...created, banned_until: bannedUntil ?? null });
  });
}

/** Changes take effect immediately, an address without a mail. */
export async function editUser(
  parts: AuthParts,
  caller: AuthCaller,
  { id, email: formerEmail }: UserRow,
  given: AdminUser,
): Promise<UserView> {
  const { email, phone } = addressesOf(given);
  const encryptedPassword = await passwordOf(parts, caller, given, [email, formerEmail]);
  const now = new Date(parts.clock.now());
  const bannedUntil = banEnd(given.ban_duration, now);
  return parts.database.transaction(async (tx) => {
    const user = await findUserById(tx, id, "for update");
    if (!user) throw refuse("user_not_found");
    await refuseTaken(tx, { email, phone }, user.id);
    const moves = {
      email: email !== undefined && email !== user.email,
      phone: phone !== undefined && phone !== user.phone,
    };
    const changes: UserChanges = {
      ...(given.role !== undefined && { role: given.role }),
      ...(encryptedPassword !== undefined && { encrypted_password: encryptedPassword }),
      ...(email !== undefined && { email }),
      ...(moves.email && { email_change: "", email_change_confirm_status: 0 }),
      ...(phone !== undefined && { phone }),
      ...(moves.phone && { phone_change: "" }),
      ...(given.phone_confirm && !user.phone_confirmed_at && { phone_confirmed_at: now }),
      ...(bannedUntil !== undefined && { banned_until: bannedUntil }),
      ...(user.is_anonymous && confirmsAddress(given) && { is_anonymous: false }),
      ...(given.app_metadata && {
        raw_app_meta_data: merged("app_metadata", user.raw_app_meta_data, given.app_metadata),
      }),
      ...(given.user_metadata && {
        raw_user_meta_data: merged("user_metadata", user.raw_user_meta_data, given.user_metadata),
      }),
    };
    if (encryptedPassword !== undefined) {
      await deleteSessions(tx, user.id, "all");
      await deleteOneTimeTokens(tx, user.id, ["recovery_token"]);
    }
    if (moves.email) await endMailedLinks(tx, user.id);
    if (moves.phone) await endSentCodes(tx, user.id);
    await updateUser(tx, user.id, changes, now).catch((error: unknown) => {
      if (isDuplicate(error)) throw refuse("email_exists", undefined, { cause: error });
      throw keptBy(error) ?? error;
    });
    await editIdentities(tx, user.id, given, { email, phone }, now);
    if (given.email_confirm && !user.email_confirmed_at) {
      await confirmEmail(tx, (await findUserById(tx, user.id, "no lock"))!, now);
    }
    const traits = { user_id: user.id, user_email: email ?? user.email, user_phone: phone ?? user.phone };
    await audit(parts, tx, caller, "user_modified", administrator(caller), traits);
    return userView((await findUserById(tx, user.id, "no lock"))!);
  });
}

interface Addresses {
  readonly email: string | undefined;
  readonly phone: string | undefined;
}

const addressesOf = (given: AdminUser): Addresses => ({
  email: given.email === "" ? undefined : parseEmail(given.email),
  phone: given.phone === "" ? undefined : parsePhone(given.phone),
});

const emailData = (email: string, verified: boolean) => ({
  ...{ email, email_verified: verified, phone_verified: false },
});
const phoneData = (phone: string, verified: boolean) => ({
  ...{ phone, email_verified: false, phone_verified: verified },
});

const confirmsAddress = (given: AdminUser) =>
  (given.email !== "" && given.email_confirm) || (given.phone !== "" && given.phone_confirm);

async function refuseTaken(tx: Executor, { email, phone }: Addresses, by: string | undefined): Promise<void> {
  const owner = email === undefined ? undefined : await findUserByEmail(tx, email, "no lock");
  if (owner && owner.id !== by) throw refuse("email_exists");
  const caller = phone === undefined ? undefined : await findUserByPhone(tx, phone, "no lock");
  if (caller && caller.id !== by) {
    throw refuse("phone_exists", "Phone number already registered by another user");
  }
}

/** A user without an identity for the new address gets one. */
async function editIdentities(
  tx: Executor,
  userId: string,
  given: AdminUser,
  { email, phone }: Addresses,
  now: Date,
): Promise<void> {
  const wanted = [
    email !== undefined && (["email", emailData(email, given.email_confirm)] as const),
    phone !== undefined && (["phone", phoneData(phone, given.phone_confirm)] as const),
  ].filter((entry) => entry !== false);
  for (const [provider, data] of wanted) {
    if (await updateIdentity(tx, userId, provider, data, now)) continue;
    const identity = { userId, provider, providerId: userId, data: { sub: userId, ...data } };
    await insertIdentity(tx, identity, now);
  }
}

/** Undefined when no password is given. */
async function passwordOf(
  parts: AuthParts,
  caller: AuthCaller,
  { password, password_hash }: AdminUser,
  addresses: readonly (string | null | undefined)[],
): Promise<string | undefined> {
  if (password_hash !== "") {
    if (password !== undefined) {
      throw refuse("validation_failed", "Only a password or a password hash should be provided");
    }
    if (!isKnownHash(password_hash)) throw refuse("validation_failed", "Unsupported password hash");
    return password_hash;
  }
  if (password === undefined || password === "") return undefined;
  await checkStrength(password, parts, addresses);
  return parts.passwords.hash(password, { ip: caller.ip, account: caller.claims.sub ?? "the service" });
}

/** The end of a ban as Go writes durations ("24h", "1h30m"); null for "none", undefined when not given. */
function banEnd(duration: string | undefined, now: Date): Date | null | undefined {
  if (duration === undefined || duration === "") return undefined;
  if (duration === "none") return null;
  const seconds = secondsOf(duration);
  const end = seconds === undefined ? undefined : new Date(now.getTime() + seconds * 1000);
  if (end === undefined || Number.isNaN(end.getTime())) {
    const problem = `time: invalid duration ${JSON.stringify(duration)}`;
    throw refuse("validation_failed", `invalid format for ban duration: ${problem}`);
  }
  return end;
}
