// The SQL of this service. Timestamps are given, not taken from the database's clock, so that every rule about time has
// one source. The functions that lock say so; the order is always user before token.
import { randomUUID } from "node:crypto";
import type { Executor } from "../postgres/database.ts";

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
  readonly banned_until: Date | null;
  readonly deleted_at: Date | null;
  readonly is_anonymous: boolean;
  readonly identities: readonly IdentityRow[];
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

const USER = `select u.id, u.aud, u.role, u.email, u.encrypted_password, u.email_confirmed_at, u.invited_at,
    u.confirmation_sent_at, u.recovery_sent_at, u.email_change, u.email_change_sent_at,
    u.email_change_confirm_status, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at,
    u.updated_at, u.phone, u.phone_confirmed_at, u.confirmed_at, u.banned_until, u.deleted_at, u.is_anonymous,
    coalesce((select jsonb_agg(to_jsonb(i) order by i.created_at) from auth.identities i where i.user_id = u.id),
      '[]') as identities
  from auth.users u`;

type Lock = "for update" | "no lock";
const lockClause = (lock: Lock) => (lock === "for update" ? " for update of u" : "");

export async function findUserByEmail(tx: Executor, email: string, lock: Lock): Promise<UserRow | undefined> {
  const { rows } = await tx.run<UserRow>({
    name: `auth_user_by_email_${lock}`,
    text: `${USER} where u.email = $1 and u.is_sso_user = false and u.deleted_at is null${lockClause(lock)}`,
    values: [email],
  });
  return rows[0];
}

export async function findUserById(tx: Executor, id: string, lock: Lock): Promise<UserRow | undefined> {
  const { rows } = await tx.run<UserRow>({
    name: `auth_user_by_id_${lock}`,
    text: `${USER} where u.id = $1${lockClause(lock)}`,
    values: [id],
  });
  return rows[0];
}

export interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly encryptedPassword: string | null;
  readonly emailConfirmedAt: Date | null;
  readonly appMetadata: Record<string, unknown>;
  readonly userMetadata: Record<string, unknown>;
  readonly role: string;
}

/** False when somebody has the address (or the id) already. */
export async function insertUser(tx: Executor, user: NewUser, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
       raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
     values ('00000000-0000-0000-0000-000000000000', $1, 'authenticated', $2, $3, $4, $5, $6, $7, $8, $8)
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
    ],
  );
  return rowCount === 1;
}

export async function insertEmailIdentity(
  tx: Executor,
  userId: string,
  identity: Record<string, unknown>,
  now: Date,
): Promise<void> {
  await tx.query(
    `insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
     values ($1::uuid::text, $1, $2, 'email', $3, $3, $3)`,
    [userId, JSON.stringify(identity), now],
  );
}

/** Merges into the e-mail identity's JSON. */
export async function updateEmailIdentity(
  tx: Executor,
  userId: string,
  changes: Record<string, unknown>,
  now: Date,
): Promise<void> {
  await tx.query(
    `update auth.identities set identity_data = identity_data || $2::jsonb, updated_at = $3
     where user_id = $1 and provider = 'email'`,
    [userId, JSON.stringify(changes), now],
  );
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
  | "raw_app_meta_data"
  | "raw_user_meta_data"
  | "banned_until"
  | "deleted_at";
export type UserChanges = Partial<Record<UserColumn, unknown>>;

/** Rejects with SQLSTATE 23505 when the new address belongs to somebody else. */
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

export async function deleteUser(tx: Executor, id: string): Promise<boolean> {
  return (await tx.query("delete from auth.users where id = $1", [id])).rowCount === 1;
}

export async function listUsers(
  tx: Executor,
  page: { limit: number; offset: number },
): Promise<{ users: UserRow[]; total: number }> {
  const [users, total] = await Promise.all([
    tx.query<UserRow>(`${USER} order by u.created_at desc, u.id limit $1 offset $2`, [
      page.limit,
      page.offset,
    ]),
    tx.query("select count(*)::int as total from auth.users"),
  ]);
  return { users: users.rows, total: total.rows[0]!.total };
}

export interface SessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly aal: string;
  readonly not_after: Date | null;
  readonly created_at: Date;
  /** Null until it was refreshed. */
  readonly refreshed_at: Date | null;
}

export interface NewSession {
  readonly id: string;
  readonly userId: string;
  readonly userAgent: string | undefined;
  readonly ip: string | undefined;
  readonly method: string;
}

export async function insertSession(tx: Executor, session: NewSession, now: Date): Promise<void> {
  await Promise.all([
    tx.run({
      name: "auth_insert_session",
      text: `insert into auth.sessions (id, user_id, created_at, updated_at, aal, user_agent, ip)
        values ($1, $2, $3, $3, 'aal1', $4, $5)`,
      values: [session.id, session.userId, now, session.userAgent, session.ip],
    }),
    tx.run({
      name: "auth_insert_amr",
      text: `insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
        values ($1, $2, $3, $3, $4)`,
      values: [randomUUID(), session.id, now, session.method],
    }),
  ]);
}

export async function findSession(tx: Executor, id: string): Promise<SessionRow | undefined> {
  const { rows } = await tx.run<SessionRow>({
    name: "auth_session",
    text: "select id, user_id, aal, not_after, created_at, refreshed_at at time zone 'UTC' as refreshed_at from auth.sessions where id = $1",
    values: [id],
  });
  return rows[0];
}

export interface AuthenticationMethod {
  readonly method: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
}

/** Newest first, as the `amr` claim has them. */
export async function findMethods(tx: Executor, sessionId: string): Promise<AuthenticationMethod[]> {
  const { rows } = await tx.run<AuthenticationMethod>({
    name: "auth_methods",
    text: `select authentication_method as method, extract(epoch from updated_at)::int as timestamp
      from auth.mfa_amr_claims where session_id = $1 order by updated_at desc`,
    values: [sessionId],
  });
  return rows;
}

export async function touchSession(
  tx: Executor,
  id: string,
  from: { userAgent: string | undefined; ip: string | undefined },
  now: Date,
): Promise<void> {
  await tx.query(
    `update auth.sessions set refreshed_at = $2::timestamptz at time zone 'UTC', updated_at = $2, user_agent = $3, ip = $4
     where id = $1`,
    [id, now, from.userAgent, from.ip],
  );
}

/** Ends sessions and with them their refresh tokens. */
export async function deleteSessions(
  tx: Executor,
  userId: string,
  which: { only: string } | { except: string } | "all",
): Promise<void> {
  if (which === "all") await tx.query("delete from auth.sessions where user_id = $1", [userId]);
  else if ("only" in which) {
    await tx.query("delete from auth.sessions where user_id = $1 and id = $2", [userId, which.only]);
  } else await tx.query("delete from auth.sessions where user_id = $1 and id <> $2", [userId, which.except]);
}

export interface RefreshTokenRow {
  readonly token: string;
  readonly parent: string | null;
  readonly revoked: boolean;
  readonly updated_at: Date;
  readonly session_id: string;
  readonly user_id: string;
}

const REFRESH_TOKEN =
  "select token, parent, revoked, updated_at, session_id, user_id from auth.refresh_tokens";

export async function insertRefreshToken(
  tx: Executor,
  token: { token: string; parent: string | null; userId: string; sessionId: string },
  now: Date,
): Promise<void> {
  await tx.run({
    name: "auth_insert_refresh_token",
    text: `insert into auth.refresh_tokens
        (instance_id, token, parent, user_id, session_id, revoked, created_at, updated_at)
      values ('00000000-0000-0000-0000-000000000000', $1, $2, $3, $4, false, $5, $5)`,
    values: [token.token, token.parent, token.userId, token.sessionId, now],
  });
}

/** Locks the session, so that refreshes of one session happen one after the other; see `findRefreshToken`. */
export async function lockSessionOfToken(tx: Executor, token: string): Promise<SessionRow | undefined> {
  const { rows } = await tx.run<SessionRow>({
    name: "auth_lock_session",
    text: `select s.id, s.user_id, s.aal, s.not_after, s.created_at, s.refreshed_at at time zone 'UTC' as refreshed_at
      from auth.sessions s
      where s.id = (select session_id from auth.refresh_tokens where token = $1) for update`,
    values: [token],
  });
  return rows[0];
}

/** A second statement after the lock sees what the refresh before it has committed. */
export async function findRefreshToken(tx: Executor, token: string): Promise<RefreshTokenRow | undefined> {
  const { rows } = await tx.run<RefreshTokenRow>({
    name: "auth_refresh_token",
    text: `${REFRESH_TOKEN} where token = $1`,
    values: [token],
  });
  return rows[0];
}

export async function findActiveRefreshToken(
  tx: Executor,
  sessionId: string,
): Promise<RefreshTokenRow | undefined> {
  const { rows } = await tx.query<RefreshTokenRow>(
    `${REFRESH_TOKEN} where session_id = $1 and revoked = false order by id desc limit 1`,
    [sessionId],
  );
  return rows[0];
}

export async function revokeRefreshToken(tx: Executor, token: string, now: Date): Promise<void> {
  await tx.run({
    name: "auth_revoke_refresh_token",
    text: "update auth.refresh_tokens set revoked = true, updated_at = $2 where token = $1",
    values: [token, now],
  });
}

export async function revokeSessionTokens(tx: Executor, sessionId: string, now: Date): Promise<void> {
  await tx.query(
    "update auth.refresh_tokens set revoked = true, updated_at = $2 where session_id = $1 and not revoked",
    [sessionId, now],
  );
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

export interface SignInFailures {
  readonly failures: number;
  readonly failed_at: Date;
}

export async function findSignInFailures(tx: Executor, account: string): Promise<SignInFailures | undefined> {
  const { rows } = await tx.run<SignInFailures>({
    name: "auth_sign_in_failures",
    text: "select failures, failed_at from auth.sign_in_failures where account_hash = $1",
    values: [account],
  });
  return rows[0];
}

/** How many there are now. Counts from one again when the last failure was before `since`. */
export async function countSignInFailure(
  tx: Executor,
  account: string,
  now: Date,
  since: Date,
): Promise<number> {
  const { rows } = await tx.query<{ failures: number }>(
    `insert into auth.sign_in_failures as f values ($1, 1, $2)
     on conflict (account_hash) do update set failed_at = excluded.failed_at,
       failures = case when f.failed_at < $3 then 1 else f.failures + 1 end
     returning failures`,
    [account, now, since],
  );
  return rows[0]!.failures;
}

export async function forgetSignInFailures(tx: Executor, account: string): Promise<void> {
  await tx.run({
    name: "auth_forget_failures",
    text: "delete from auth.sign_in_failures where account_hash = $1",
    values: [account],
  });
}

/** Where the user's sessions were last used from. */
export async function sessionAddresses(tx: Executor, userId: string): Promise<string[]> {
  const { rows } = await tx.query<{ ip: string }>(
    "select distinct host(ip) as ip from auth.sessions where user_id = $1 and ip is not null limit 100",
    [userId],
  );
  return rows.map(({ ip }) => ip);
}
