// The SQL of users, their identities and the audit log. Times are passed in, not read from the database's clock, so that
// every rule about time has one source. Functions that lock document it; the order is always user before token.
import { randomUUID } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";

export interface UserRow {
  readonly id: string;
  readonly aud: string;
  readonly role: string;
  readonly email: string | null;
  readonly encrypted_password: string | null;
  readonly email_confirmed_at: Date | null;
  readonly invited_at: Date | null;
  readonly confirmation_sent_at: Date | null;
  readonly recovery_sent_at: Date | null;
  readonly email_change: string | null;
  readonly email_change_sent_at: Date | null;
  readonly email_change_confirm_status: number;
  readonly last_sign_in_at: Date | null;
  readonly raw_app_meta_data: Record<string, unknown> | null;
  readonly raw_user_meta_data: Record<string, unknown> | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly phone: string | null;
  readonly phone_confirmed_at: Date | null;
  readonly confirmed_at: Date | null;
  readonly phone_change: string | null;
  readonly phone_change_sent_at: Date | null;
  readonly reauthentication_sent_at: Date | null;
  readonly banned_until: Date | null;
  readonly deleted_at: Date | null;
  readonly is_anonymous: boolean;
  readonly is_sso_user: boolean;
  readonly identities: readonly IdentityRow[];
  readonly factors: readonly FactorRow[];
}

/** What everyone may know of a factor, so not its secret. Read as JSON, hence timestamps as text. */
export interface FactorRow {
  readonly id: string;
  readonly friendly_name: string | null;
  readonly factor_type: "totp" | "webauthn" | "phone" | "recovery_code";
  readonly status: "unverified" | "verified";
  readonly created_at: string;
  readonly updated_at: string;
  readonly phone: string | null;
  readonly last_challenged_at: string | null;
}

/** Read as JSON, hence timestamps as text. */
export interface IdentityRow {
  readonly id: string;
  readonly provider_id: string;
  readonly user_id: string;
  readonly identity_data: Record<string, unknown>;
  readonly provider: string;
  readonly last_sign_in_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly email: string | null;
}

export const USER = `select u.id, u.aud, u.role, u.email, u.encrypted_password, u.email_confirmed_at, u.invited_at,
    u.confirmation_sent_at, u.recovery_sent_at, u.email_change, u.email_change_sent_at,
    u.email_change_confirm_status, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at,
    u.updated_at, u.phone, u.phone_confirmed_at, u.phone_change, u.phone_change_sent_at, u.reauthentication_sent_at,
    u.confirmed_at, u.banned_until, u.deleted_at, u.is_anonymous, u.is_sso_user,
    coalesce((select jsonb_agg(to_jsonb(i) order by i.created_at, i.id) from auth.identities i where i.user_id = u.id),
      '[]') as identities,
    coalesce((select jsonb_agg(jsonb_build_object('id', f.id, 'friendly_name', f.friendly_name,
        'factor_type', f.factor_type, 'status', f.status, 'created_at', f.created_at, 'updated_at', f.updated_at,
        'phone', f.phone, 'last_challenged_at', f.last_challenged_at) order by f.created_at, f.id)
      from auth.mfa_factors f where f.user_id = u.id), '[]') as factors
  from auth.users u`;

type Lock = "for update" | "no lock";

async function findUser(
  tx: Executor,
  by: "id" | "email" | "phone",
  value: string,
  lock: Lock,
): Promise<UserRow | undefined> {
  const isLiving = by === "id" ? "" : " and u.is_sso_user = false and u.deleted_at is null";
  const where = `where u.${by} = $1${isLiving}`;
  if (lock === "for update") {
    // In a separate statement: the one that reads must begin after the wait, or it sees identities and factors from before
    // it.
    const text = `select from auth.users u ${where} for update`;
    await tx.run({ name: `auth_lock_user_by_${by}`, text, values: [value] });
  }
  const { rows } = await tx.run<UserRow>({
    name: `auth_user_by_${by}`,
    text: `${USER} ${where}`,
    values: [value],
  });
  return rows[0];
}

export const findUserByEmail = (tx: Executor, email: string, lock: Lock) =>
  findUser(tx, "email", email, lock);
export const findUserById = (tx: Executor, id: string, lock: Lock) => findUser(tx, "id", id, lock);
export const findUserByPhone = (tx: Executor, phone: string, lock: Lock) =>
  findUser(tx, "phone", phone, lock);

export interface NewUser {
  readonly id: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly encryptedPassword: string | null;
  readonly emailConfirmedAt: Date | null;
  readonly phoneConfirmedAt: Date | null;
  readonly invitedAt: Date | null;
  readonly appMetadata: Readonly<Record<string, unknown>>;
  readonly userMetadata: Readonly<Record<string, unknown>>;
  readonly aud: string;
  readonly role: string;
  readonly isAnonymous: boolean;
  readonly isSsoUser: boolean;
}

export interface NewIdentity {
  readonly provider: string;
  /** The user's id for the providers `email` and `phone`. */
  readonly providerId?: string;
  /** Written with `sub` set to the provider's id. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** False when the address, the phone number or the id is already taken. */
export async function insertUser(tx: Executor, user: NewUser, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
       raw_app_meta_data, raw_user_meta_data, created_at, updated_at, phone, phone_confirmed_at, invited_at,
       is_anonymous, is_sso_user)
     values ('00000000-0000-0000-0000-000000000000', $1, $14, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10,
       $11, $12, $13)
     on conflict do nothing`,
    [
      user.id,
      user.role,
      user.email,
      user.encryptedPassword,
      user.emailConfirmedAt,
      JSON.stringify(user.appMetadata),
      JSON.stringify(user.userMetadata),
      now,
      user.phone,
      user.phoneConfirmedAt,
      user.invitedAt,
      user.isAnonymous,
      user.isSsoUser,
      user.aud,
    ],
  );
  return rowCount === 1;
}

/** Rejects with SQLSTATE 23505 when the provider's account already belongs to a user. */
export async function insertIdentity(
  tx: Executor,
  identity: {
    readonly userId: string;
    readonly provider: string;
    readonly providerId: string;
    readonly data: Readonly<Record<string, unknown>>;
  },
  now: Date,
): Promise<void> {
  await tx.query(
    `insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $5, $5)`,
    [identity.providerId, identity.userId, JSON.stringify(identity.data), identity.provider, now],
  );
}

/** Merges into the JSON of the user's own identity. False when there is none. */
export async function updateIdentity(
  tx: Executor,
  userId: string,
  provider: "email" | "phone",
  changes: Record<string, unknown>,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update auth.identities set identity_data = identity_data || $3::jsonb, updated_at = $4
     where user_id = $1 and provider = $2`,
    [userId, provider, JSON.stringify(changes), now],
  );
  return rowCount !== 0;
}

type UserColumn =
  | "role"
  | "email"
  | "encrypted_password"
  | "email_confirmed_at"
  | "confirmation_sent_at"
  | "recovery_sent_at"
  | "email_change"
  | "email_change_sent_at"
  | "email_change_confirm_status"
  | "last_sign_in_at"
  | "phone"
  | "phone_confirmed_at"
  | "phone_change"
  | "phone_change_sent_at"
  | "invited_at"
  | "reauthentication_sent_at"
  | "is_anonymous"
  | "raw_app_meta_data"
  | "raw_user_meta_data"
  | "banned_until"
  | "deleted_at";
export type UserChanges = Partial<Record<UserColumn, unknown>>;

/** Rejects with SQLSTATE 23505 when the new address belongs to another user. */
export async function updateUser(tx: Executor, id: string, changes: UserChanges, now: Date): Promise<void> {
  const columns = Object.keys(changes);
  const values = Object.values(changes).map((value) =>
    value !== null && typeof value === "object" && !(value instanceof Date) ? JSON.stringify(value) : value,
  );
  const assignments = columns.map((column, index) => `${column} = $${index + 3}`);
  await tx.query(`update auth.users set ${["updated_at = $2", ...assignments].join(", ")} where id = $1`, [
    id,
    now,
    ...values,
  ]);
}

/** Where there is the shop, its locks come before the account's. */
export async function deleteUser(tx: Executor, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    "select where to_regprocedure('public.lock_departure(uuid)') is not null",
  );
  if (rowCount === 1) await tx.query("select public.lock_departure($1)", [id]);
  return (await tx.query("delete from auth.users where id = $1", [id])).rowCount === 1;
}

/** Confirmed and used by nobody. */
const UNCONFIRMED =
  "confirmed_at is null and last_sign_in_at is null and not is_anonymous and deleted_at is null";
/** Anyone can have signed up with an address or number of somebody else. An administrator's account has no sign-up. */
const UNCLAIMED = `${UNCONFIRMED} and invited_at is null and not is_sso_user
  and exists (select from auth.sign_ups where user_id = users.id)`;

/** Whether the address or number has an owner, who confirmed it or for whom an administrator made the account. */
export async function isTaken(tx: Executor, by: "email" | "phone", value: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from auth.users where ${by} = $1 and not is_sso_user and not (${UNCLAIMED})`,
    [value],
  );
  return rowCount !== 0;
}

/** Deletes the account with an address or number that nobody owns, unless it is `keep`. Returns its id. */
export async function deleteUnclaimed(
  tx: Executor,
  by: "email" | "phone",
  value: string,
  keep: string,
): Promise<string | undefined> {
  const { rows } = await tx.query<{ id: string }>(
    `delete from auth.users where ${by} = $1 and id <> $2 and ${UNCLAIMED} returning id`,
    [value, keep],
  );
  return rows[0]?.id;
}

export async function insertAuditEntry(
  tx: Executor,
  payload: Record<string, unknown>,
  ip: string | undefined,
  now: Date,
): Promise<void> {
  await tx.run({
    name: "auth_audit",
    text: `insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
      values ('00000000-0000-0000-0000-000000000000', $1, $2, $3, $4)`,
    values: [randomUUID(), JSON.stringify(payload), now, ip ?? ""],
  });
}

/** Deletes up to `most` accounts that nobody confirmed or used. */
export async function forgetUnconfirmed(tx: Executor, before: Date, most: number): Promise<number> {
  const { rowCount } = await tx.query(
    `delete from auth.users where id in (select id from auth.users
       where ${UNCONFIRMED}
         and greatest(created_at, confirmation_sent_at, invited_at) < $1 limit $2)`,
    [before, most],
  );
  return rowCount ?? 0;
}

export async function forgetAuditEntries(tx: Executor, before: Date, most: number): Promise<number> {
  const { rowCount } = await tx.query(
    `delete from auth.audit_log_entries
     where id in (select id from auth.audit_log_entries where created_at < $1 limit $2)`,
    [before, most],
  );
  return rowCount ?? 0;
}
