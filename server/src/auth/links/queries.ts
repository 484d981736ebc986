// The SQL of mailed links: their tokens, the claim of a sign-up's link, and the flows that hand a session to one browser
// only.
import { randomUUID } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";

export type OneTimeTokenType =
  | "confirmation_token"
  | "recovery_token"
  | "email_change_token_current"
  | "email_change_token_new"
  | "phone_change_token"
  | "reauthentication_token";

/** To the current address, and to the new one. */
export const EMAIL_CHANGE_TOKENS = ["email_change_token_current", "email_change_token_new"] as const;
/** What confirms that a signed-in account gets another address or number. */
export const CHANGE_TOKENS: readonly OneTimeTokenType[] = [...EMAIL_CHANGE_TOKENS, "phone_change_token"];

/**
 * Earlier tokens of the type stay valid until they expire: a stranger who requests a mail each minute must not invalidate the
 * owner's link. The mail interval bounds them: 16 lanes, one a minute, 960 in a link's hour.
 */
export async function putOneTimeToken(
  tx: Executor,
  token: { userId: string; type: OneTimeTokenType; hash: string; relatesTo: string; codeHash: string },
  now: Date,
  expiredBefore: Date,
): Promise<void> {
  const of = [token.userId, token.type, token.relatesTo];
  await tx.query(
    `delete from auth.one_time_tokens where user_id = $1 and token_type = $2 and relates_to = $3
       and created_at <= $4::timestamptz at time zone 'UTC'`,
    [...of, expiredBefore],
  );
  await tx.query(
    `delete from auth.one_time_codes where token_id in (select id from auth.one_time_tokens
       where user_id = $1 and token_type = $2 and relates_to = $3 order by created_at desc offset ${MOST_CODES - 1})`,
    of,
  );
  await tx.query(
    `with token as (
       insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6::timestamptz at time zone 'UTC', $6::timestamptz at time zone 'UTC') returning id
     )
     insert into auth.one_time_codes (token_id, code_hash) select id, $7 from token`,
    [randomUUID(), token.userId, token.type, token.hash, token.relatesTo, now, token.codeHash],
  );
}

/**
 * How many codes of an address are valid at once. Each makes a guess more likely, but a stranger must not invalidate the
 * owner's.
 */
const MOST_CODES = 4;

/** The tokens whose code may still be typed. Locks them and their users, in that order. */
export async function lockCodes(
  tx: Executor,
  wanted: {
    sentTo: string;
    types: readonly OneTimeTokenType[];
    userId?: string | undefined;
    sentAfter: Date;
    mostGuesses: number;
  },
): Promise<(OneTimeToken & { readonly code_hash: string })[]> {
  const { rows } = await tx.query<OneTimeToken & { code_hash: string }>(
    `select t.user_id, t.token_type, t.token_hash, t.created_at at time zone 'UTC' as sent_at, c.code_hash
     from auth.one_time_tokens t join auth.users u on u.id = t.user_id join auth.one_time_codes c on c.token_id = t.id
     where t.relates_to = $1 and t.token_type = any ($2::auth.one_time_token_type[])
       and t.user_id = coalesce($3::uuid, t.user_id) and t.created_at > $4::timestamptz at time zone 'UTC'
       and c.guesses < $5
     for update of u, t, c`,
    [wanted.sentTo, wanted.types, wanted.userId ?? null, wanted.sentAfter, wanted.mostGuesses],
  );
  return rows;
}

export async function countWrongCode(
  tx: Executor,
  sentTo: string,
  types: readonly OneTimeTokenType[],
): Promise<void> {
  await tx.query(
    `update auth.one_time_codes c set guesses = least(c.guesses + 1, 1000) from auth.one_time_tokens t
     where t.id = c.token_id and t.relates_to = $1 and t.token_type = any ($2::auth.one_time_token_type[])`,
    [sentTo, types],
  );
}

/** `token_hash` is AuthParts.atRest's hash of the token: a copy of the table opens no link. */
export interface OneTimeToken {
  readonly user_id: string;
  readonly token_type: OneTimeTokenType;
  readonly token_hash: string;
  readonly sent_at: Date;
}

/** Locks the token and its user: of two clicks on one link, the second finds nothing. */
export async function lockOneTimeToken(
  tx: Executor,
  hash: string,
  types: readonly OneTimeTokenType[],
): Promise<OneTimeToken | undefined> {
  const { rows } = await tx.query<OneTimeToken>(
    `select t.user_id, t.token_type, t.token_hash, t.created_at at time zone 'UTC' as sent_at
     from auth.one_time_tokens t join auth.users u on u.id = t.user_id
     where t.token_hash = $1 and t.token_type = any ($2::auth.one_time_token_type[]) for update of u, t`,
    [hash, types],
  );
  return rows[0];
}

export async function hasOneTimeToken(
  tx: Executor,
  userId: string,
  type: OneTimeTokenType,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    "select from auth.one_time_tokens where user_id = $1 and token_type = $2 limit 1",
    [userId, type],
  );
  return rowCount === 1;
}

export async function findOneTimeTokens(
  tx: Executor,
  userId: string,
): Promise<Pick<OneTimeToken, "token_type" | "token_hash">[]> {
  const { rows } = await tx.query<Pick<OneTimeToken, "token_type" | "token_hash">>(
    "select token_type, token_hash from auth.one_time_tokens where user_id = $1",
    [userId],
  );
  return rows;
}

/** `kept`: the hash of a token that stays valid. */
export async function deleteOneTimeTokens(
  tx: Executor,
  userId: string,
  types: readonly OneTimeTokenType[],
  kept = "",
): Promise<void> {
  await tx.query(
    `delete from auth.one_time_tokens
     where user_id = $1 and token_type = any ($2::auth.one_time_token_type[]) and token_hash <> $3`,
    [userId, types, kept],
  );
}

/** After a change of address: links mailed to the old one must not outlive it. */
export const endMailedLinks = (tx: Executor, userId: string): Promise<void> =>
  deleteOneTimeTokens(tx, userId, [
    "recovery_token",
    "confirmation_token",
    "reauthentication_token",
    ...EMAIL_CHANGE_TOKENS,
  ]);

/** As above after a change of number. */
export const endSentCodes = (tx: Executor, userId: string): Promise<void> =>
  deleteOneTimeTokens(tx, userId, ["phone_change_token", "reauthentication_token"]);

/** What the link of a sign-up sets in the account it confirms. */
export interface SignUpClaim {
  /** Null: the account has no password until the owner sets one. */
  readonly encryptedPassword: string | null;
  readonly metadata: Record<string, unknown>;
}

/** A claim with the link it belongs to. */
export interface SignUpRow extends SignUpClaim {
  readonly tokenHash: string;
}

const KEPT_HOURS = 24;

export async function insertSignUp(
  tx: Executor,
  signUp: SignUpRow & { userId: string },
  now: Date,
): Promise<void> {
  await tx.query("delete from auth.sign_ups where user_id = $1 and created_at < $2", [
    signUp.userId,
    new Date(now.getTime() - KEPT_HOURS * 3_600_000),
  ]);
  await tx.query(
    `insert into auth.sign_ups (token_hash, user_id, encrypted_password, raw_user_meta_data, created_at)
     values ($1, $2, $3, $4, $5)`,
    [signUp.tokenHash, signUp.userId, signUp.encryptedPassword, JSON.stringify(signUp.metadata), now],
  );
}

/** Newest first. */
export async function findSignUps(tx: Executor, userId: string): Promise<SignUpRow[]> {
  const { rows } = await tx.query<{
    token_hash: string;
    encrypted_password: string | null;
    raw_user_meta_data: Record<string, unknown>;
  }>(
    `select token_hash, encrypted_password, raw_user_meta_data from auth.sign_ups where user_id = $1
     order by created_at desc`,
    [userId],
  );
  return rows.map((row) => ({
    tokenHash: row.token_hash,
    encryptedPassword: row.encrypted_password,
    metadata: row.raw_user_meta_data,
  }));
}

/** `kept`: the link whose claim is still waiting for its browser. */
export async function deleteSignUps(tx: Executor, userId: string, kept = ""): Promise<void> {
  await tx.query("delete from auth.sign_ups where user_id = $1 and token_hash <> $2", [userId, kept]);
}

export type ChallengeMethod = "s256" | "plain";

export async function insertFlow(
  tx: Executor,
  flow: { id: string; userId: string; challenge: string; method: ChallengeMethod },
  now: Date,
): Promise<void> {
  await tx.query(
    `insert into auth.flow_state (id, user_id, code_challenge_method, code_challenge, provider_type,
       created_at, updated_at, authentication_method)
     values ($1, $2, $3, $4, 'email', $5, $5, 'otp')`,
    [flow.id, flow.userId, flow.method, flow.challenge, now],
  );
}

/** Stores `authCode`, the hash of the flow's code. False when there is no such flow. */
export async function stampFlow(tx: Executor, id: string, authCode: string, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    "update auth.flow_state set auth_code = $2, auth_code_issued_at = $3, updated_at = $3 where id = $1",
    [id, authCode, now],
  );
  return rowCount === 1;
}

export interface FlowRow {
  readonly id: string;
  readonly user_id: string;
  readonly code_challenge_method: ChallengeMethod;
  readonly code_challenge: string;
  readonly auth_code_issued_at: Date;
  readonly provider_type: string;
  /** The authentication method of the resulting session. */
  readonly authentication_method: "otp" | "oauth" | "sso/saml";
  /** Sealed, bound to the flow's id. */
  readonly provider_access_token: string | null;
  readonly provider_refresh_token: string | null;
  /** When the resulting session must end. */
  readonly session_not_after: Date | null;
}

/** Locks a flow whose code has been issued, after its user, in the same order as opening its link again. */
export async function lockFlow(tx: Executor, authCode: string): Promise<FlowRow | undefined> {
  const { rows } = await tx.query<FlowRow>(
    `select f.id, f.user_id, f.code_challenge_method, f.code_challenge, f.auth_code_issued_at, f.provider_type,
       f.authentication_method, f.provider_access_token, f.provider_refresh_token, f.session_not_after
     from auth.flow_state f join auth.users u on u.id = f.user_id
     where f.auth_code = $1 and f.auth_code_issued_at is not null for update of u, f`,
    [authCode],
  );
  return rows[0];
}

export async function deleteFlow(tx: Executor, id: string): Promise<void> {
  await tx.query("delete from auth.flow_state where id = $1", [id]);
}
