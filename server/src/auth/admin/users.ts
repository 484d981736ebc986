// Users as the holder of the service key manages them: list, read, create, change, delete.
import type { ServiceError } from "../../platform/errors.ts";
import { audit, SERVICE_ACTOR } from "../audit.ts";
import { merged } from "../account/metadata.ts";
import { isDuplicate } from "../account/email-change.ts";
import { refuse } from "../errors.ts";
import { deleteOneTimeTokens } from "../links/queries.ts";
import type { Caller, AuthParts } from "../parts.ts";
import { checkStrength } from "../passwords/passwords.ts";
import {
  deleteUser,
  findUserById,
  listUsers,
  updateIdentity,
  updateUser,
  type UserChanges,
  type UserRow,
} from "../account/queries.ts";
import { deleteSessions } from "../sessions/queries.ts";
import { isUuid, parseEmail } from "../http/requests.ts";
import { createUser } from "../account/new-user.ts";
import { userView, type UserView } from "../account/user-view.ts";
import { confirmEmail } from "../links/verification.ts";

export interface AdminUser {
  readonly id?: string | undefined;
  readonly email: string;
  readonly phone: string;
  readonly password?: string | undefined;
  readonly role?: string | undefined;
  readonly email_confirm: boolean;
  readonly user_metadata?: Record<string, unknown> | undefined;
  readonly app_metadata?: Record<string, unknown> | undefined;
  readonly ban_duration?: string | undefined;
}

export function requireAdmin(caller: Caller): void {
  if (caller.claims.role !== "service_role") throw refuse("not_admin");
}

const MAX_PAGE = 1000;

export interface UserPage {
  readonly users: readonly UserView[];
  readonly total: number;
  readonly page: number;
  readonly pages: number;
}

/** Newest first. `page` counts from 1. */
export async function userPage(
  parts: AuthParts,
  query: { page: string | undefined; perPage: string | undefined },
): Promise<UserPage> {
  const page = wholeNumber(query.page, 1);
  const limit = Math.min(wholeNumber(query.perPage, 50), MAX_PAGE);
  const { users, total } = await listUsers(parts.database, { limit, offset: (page - 1) * limit });
  return { users: users.map(userView), total, page, pages: Math.max(1, Math.ceil(total / limit)) };
}

function wholeNumber(text: string | undefined, fallback: number): number {
  if (!text) return fallback;
  if (!/^\d{1,9}$/.test(text)) throw refuse("validation_failed", "Bad Pagination Parameters");
  return Number(text) || fallback;
}

export async function readUser(parts: AuthParts, id: string): Promise<UserView> {
  return userView(await requireUser(parts, id));
}

async function requireUser(parts: AuthParts, id: string): Promise<UserRow> {
  if (!isUuid(id)) throw refuse("validation_failed", "user_id must be an UUID", { status: 404 });
  const user = await findUserById(parts.database, id, "no lock");
  if (!user) throw refuse("user_not_found");
  return user;
}

export async function addUser(parts: AuthParts, caller: Caller, given: AdminUser): Promise<UserView> {
  if (given.phone !== "") throw refuse("phone_provider_disabled");
  if (given.email === "") {
    throw refuse("validation_failed", "Cannot create a user without either an email or phone");
  }
  if (given.id !== undefined && !isUuid(given.id)) {
    throw refuse("validation_failed", "ID must conform to the uuid v4 format");
  }
  const email = parseEmail(given.email);
  const encryptedPassword = await hashGiven(parts, caller, given.password);
  const now = new Date(parts.clock.now());
  const bannedUntil = banEnd(given.ban_duration, now);
  return parts.database.transaction(async (tx) => {
    const created = await createUser(
      parts,
      tx,
      caller,
      {
        ...(given.id !== undefined && { id: given.id }),
        email,
        encryptedPassword: encryptedPassword ?? null,
        emailConfirmedAt: given.email_confirm ? now : null,
        userMetadata: { ...given.user_metadata, ...(given.email_confirm && { email_verified: true }) },
        appMetadata: given.app_metadata,
        ...(given.role !== undefined && { role: given.role }),
        identities: [{ provider: "email", data: { email, email_verified: false, phone_verified: false } }],
      },
      now,
    );
    if (!created) throw refuse("email_exists");
    if (bannedUntil) await updateUser(tx, created.id, { banned_until: bannedUntil }, now);
    await audit(parts, tx, caller, "user_signedup", SERVICE_ACTOR, {
      user_id: created.id,
      user_email: email,
      provider: "email",
    });
    return userView({ ...created, banned_until: bannedUntil ?? null });
  });
}

/** Changes are made at once, an address without a mail. */
export async function editUser(
  parts: AuthParts,
  caller: Caller,
  id: string,
  given: AdminUser,
): Promise<UserView> {
  const before = await requireUser(parts, id);
  if (given.phone !== "") throw refuse("phone_provider_disabled");
  const email = given.email === "" ? undefined : parseEmail(given.email);
  const encryptedPassword = await hashGiven(parts, caller, given.password);
  const now = new Date(parts.clock.now());
  const bannedUntil = banEnd(given.ban_duration, now);
  return parts.database.transaction(async (tx) => {
    const user = await findUserById(tx, before.id, "for update");
    if (!user) throw refuse("user_not_found");
    const changes: UserChanges = {
      ...(given.role !== undefined && { role: given.role }),
      ...(encryptedPassword !== undefined && { encrypted_password: encryptedPassword }),
      ...(email !== undefined && { email }),
      ...(bannedUntil !== undefined && { banned_until: bannedUntil }),
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
    await updateUser(tx, user.id, changes, now).catch((error: unknown) => {
      throw isDuplicate(error) ? refuse("email_exists", undefined, { cause: error }) : error;
    });
    if (email !== undefined) await updateIdentity(tx, user.id, "email", { email }, now);
    if (given.email_confirm && !user.email_confirmed_at) {
      await confirmEmail(tx, (await findUserById(tx, user.id, "no lock"))!, now);
    }
    await audit(parts, tx, caller, "user_modified", SERVICE_ACTOR, {
      user_id: user.id,
      user_email: email ?? user.email,
    });
    return userView((await findUserById(tx, user.id, "no lock"))!);
  });
}

export async function removeUser(parts: AuthParts, caller: Caller, id: string): Promise<void> {
  const user = await requireUser(parts, id);
  await parts.database.transaction(async (tx) => {
    const deleted = await deleteUser(tx, user.id).catch((error: unknown) => {
      throw keptBy(error) ?? error;
    });
    if (!deleted) throw refuse("user_not_found");
    await audit(parts, tx, caller, "user_deleted", SERVICE_ACTOR, {
      user_id: user.id,
      user_email: user.email,
    });
  });
}

/** The refusal when a rule of the database keeps the user: rows that must not lose them, or the last administrator. */
function keptBy(error: unknown): ServiceError | undefined {
  const { code, table, message } = error as { code?: string; table?: string; message: string };
  if (code === "23503" || code === "23001") {
    return refuse("conflict", `The user cannot be deleted: ${table} still refers to them`, { cause: error });
  }
  return code === "23514" ? refuse("conflict", message, { cause: error }) : undefined;
}

async function hashGiven(
  parts: AuthParts,
  caller: Caller,
  password: string | undefined,
): Promise<string | undefined> {
  if (password === undefined || password === "") return undefined;
  await checkStrength(password, parts.settings);
  return parts.passwords.hash(password, { ip: caller.ip, account: caller.claims.sub ?? "the service" });
}

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };

/** The end of a ban as Go writes durations ("24h", "1h30m"); null for "none", undefined when not given. */
function banEnd(duration: string | undefined, now: Date): Date | null | undefined {
  if (duration === undefined || duration === "") return undefined;
  if (duration === "none") return null;
  if (!/^(\d{1,7}[hms])+$/.test(duration)) {
    throw refuse("validation_failed", "invalid format for ban duration");
  }
  const length = [...duration.matchAll(/(\d+)([hms])/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit!]!,
    0,
  );
  return new Date(now.getTime() + length);
}
