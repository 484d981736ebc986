// The SQL of sessions and their refresh tokens.
import { randomUUID } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";

export interface SessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly aal: Aal;
  readonly factor_id: string | null;
  readonly not_after: Date | null;
  readonly created_at: Date;
  /** Null until the first refresh. */
  readonly refreshed_at: Date | null;
}

/** An authentication method in GoTrue's words: the `method` of an `amr` claim. */
export type AuthMethod =
  | "anonymous"
  | "email/signup"
  | "email_change"
  | "invite"
  | "magiclink"
  | "mfa/phone"
  | "mfa/recovery_code"
  | "mfa/webauthn"
  | "oauth"
  | "otp"
  | "passkey"
  | "password"
  | "recovery"
  | "sso/saml"
  | "totp";

export type Aal = "aal1" | "aal2" | "aal3";

export interface NewSession {
  readonly id: string;
  readonly userId: string;
  readonly userAgent: string | undefined;
  readonly ip: string | undefined;
  readonly notAfter: Date | undefined;
}

export async function insertSession(tx: Executor, session: NewSession, now: Date): Promise<void> {
  await tx.run({
    name: "auth_insert_session",
    text: `insert into auth.sessions (id, user_id, created_at, updated_at, aal, user_agent, ip, not_after)
        values ($1, $2, $3, $3, 'aal1', $4, $5, $6)`,
    values: [session.id, session.userId, now, session.userAgent, session.ip, session.notAfter],
  });
}

/** Records how the session's owner has just authenticated. */
export async function noteMethod(
  tx: Executor,
  sessionId: string,
  method: AuthMethod,
  now: Date,
): Promise<void> {
  await tx.run({
    name: "auth_note_method",
    text: `insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
        values ($1, $2, $3, $3, $4)
        on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey
        do update set updated_at = excluded.updated_at`,
    values: [randomUUID(), sessionId, now, method],
  });
}

const SESSION = `select s.id, s.user_id, s.aal, s.factor_id, s.not_after, s.created_at,
    s.refreshed_at at time zone 'UTC' as refreshed_at
  from auth.sessions s`;

export async function findSession(tx: Executor, id: string): Promise<SessionRow | undefined> {
  const { rows } = await tx.run<SessionRow>({
    name: "auth_session",
    text: `${SESSION} where s.id = $1`,
    values: [id],
  });
  return rows[0];
}

/** Locks it: of two requests that change one session, the second waits. */
export async function lockSession(tx: Executor, id: string): Promise<SessionRow | undefined> {
  const { rows } = await tx.query<SessionRow>(`${SESSION} where s.id = $1 for update`, [id]);
  return rows[0];
}

export async function raiseSession(
  tx: Executor,
  id: string,
  to: { aal: Aal; factorId: string | null },
  now: Date,
): Promise<void> {
  await tx.query("update auth.sessions set aal = $2, factor_id = $3, updated_at = $4 where id = $1", [
    id,
    to.aal,
    to.factorId,
    now,
  ]);
}

/**
 * Whether the user has no newer session, where an account is limited to one. A session without the second step that this one took
 * does not count: whoever knows only the password could end the owner's session.
 */
export async function isNewestSession(tx: Executor, session: SessionRow): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from auth.sessions
     where user_id = $1 and id <> $2 and created_at > $3 and aal >= $4 limit 1`,
    [session.user_id, session.id, session.created_at, session.aal],
  );
  return rowCount === 0;
}

export interface AuthenticationMethod {
  readonly method: string;
  /** For a SAML sign-in, which identity provider. */
  readonly provider?: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
}

/** Newest first, as in the `amr` claim. */
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

/** Deletes sessions along with their refresh tokens. */
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

/** `token` and `parent` are hashes (AuthParts.atRest): nothing in a copy of the table can be refreshed. */
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

/** Locks the session, so that refreshes of one session run one after the other; see `findRefreshToken`. */
export async function lockSessionOfToken(tx: Executor, token: string): Promise<SessionRow | undefined> {
  const { rows } = await tx.run<SessionRow>({
    name: "auth_lock_session",
    text: `${SESSION} where s.id = (select session_id from auth.refresh_tokens where token = $1) for update`,
    values: [token],
  });
  return rows[0];
}

/** A second statement after the lock, so that it sees what the previous refresh committed. */
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

/** Deletes some of the sessions that ended: idle since, begun before, or over before the given moments. Null skips a rule. */
export async function forgetSessions(
  tx: Executor,
  ends: { idleBefore: Date | null; begunBefore: Date | null; overBefore: Date },
  most: number,
): Promise<number> {
  const { rowCount } = await tx.query(
    `delete from auth.sessions where id in (select id from auth.sessions
       where coalesce(refreshed_at at time zone 'UTC', created_at) < $1 or created_at < $2 or not_after < $3 limit $4)`,
    [ends.idleBefore, ends.begunBefore, ends.overBefore, most],
  );
  return rowCount ?? 0;
}

/** Deletes some of the used tokens, but not the one before the current token: it may be sent again if its answer was lost. */
export async function forgetUsedTokens(tx: Executor, before: Date, most: number): Promise<number> {
  const { rowCount } = await tx.query(
    `delete from auth.refresh_tokens where id in (select id from auth.refresh_tokens t
       where revoked and updated_at < $1
         and not exists (select from auth.refresh_tokens n where n.parent = t.token and not n.revoked) limit $2)`,
    [before, most],
  );
  return rowCount ?? 0;
}
