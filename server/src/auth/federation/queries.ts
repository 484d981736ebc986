// The SQL of pending sign-ins at a provider, and of the identities that result from them.
import type { Executor } from "../../postgres/executor.ts";
import type { IdentityRow } from "../account/queries.ts";
import type { Challenge } from "../links/flows.ts";
import type { AuthMethod } from "../sessions/queries.ts";

export interface NewState {
  readonly id: string;
  readonly provider: string;
  readonly method: AuthMethod;
  /** Undefined: the tokens go into the URL fragment, GoTrue's implicit flow. */
  readonly challenge: Challenge | undefined;
  readonly referrer: string;
  readonly inviteToken: string | undefined;
  readonly linking: { readonly userId: string; readonly sessionId: string | undefined } | undefined;
  readonly emailOptional: boolean;
  /** Sealed. Undefined where no code is requested from the provider. */
  readonly verifier: string | undefined;
}

export async function insertState(tx: Executor, state: NewState, now: Date): Promise<void> {
  const { challenge } = state;
  await tx.query(
    `with client as (
       insert into auth.oauth_client_states (id, provider_type, code_verifier, created_at)
       select $1, $2, $3, $4 where $3::text is not null returning id)
     insert into auth.flow_state (id, code_challenge_method, code_challenge, provider_type, created_at, updated_at,
       authentication_method, invite_token, referrer, oauth_client_state_id, linking_target_id, linking_session_id, email_optional)
     values ($1, $5, $6, $2, $4, $4, $7, $8, $9, (select id from client), $10, $11, $12)`,
    [
      state.id,
      state.provider,
      state.verifier ?? null,
      now,
      challenge?.method ?? null,
      challenge?.challenge ?? null,
      state.method,
      state.inviteToken ?? null,
      state.referrer,
      state.linking?.userId ?? null,
      state.linking?.sessionId ?? null,
      state.emailOptional,
    ],
  );
}

export interface StateRow {
  readonly id: string;
  readonly provider_type: string;
  readonly referrer: string | null;
  readonly invite_token: string | null;
  readonly linking_target_id: string | null;
  readonly linking_session_id: string | null;
  readonly email_optional: boolean;
  readonly is_pkce: boolean;
  readonly created_at: Date;
}

export async function findState(tx: Executor, id: string): Promise<StateRow | undefined> {
  const { rows } = await tx.query<StateRow>(
    `select id, provider_type, referrer, invite_token, linking_target_id, linking_session_id, email_optional,
       code_challenge is not null as is_pkce, created_at
     from auth.flow_state where id = $1 and authentication_method = 'oauth'`,
    [id],
  );
  return rows[0];
}

/** Returns the sealed verifier once: of two callbacks with the same state, the second finds nothing. */
export async function takeVerifier(tx: Executor, id: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ code_verifier: string }>(
    "delete from auth.oauth_client_states where id = $1 returning code_verifier",
    [id],
  );
  return rows[0]?.code_verifier;
}

/** From now on the flow waits for its browser. False when it was already answered. `code` is a hash, the tokens are sealed. */
export async function answerState(
  tx: Executor,
  id: string,
  answer: {
    userId: string;
    code: string;
    accessToken: string | null;
    refreshToken: string | null;
    /** When the session that the code opens must end. */
    notAfter: Date | null;
  },
  now: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update auth.flow_state set user_id = $2, auth_code = $3, provider_access_token = $4, provider_refresh_token = $5,
       auth_code_issued_at = $6, updated_at = $6, session_not_after = $7
     where id = $1 and user_id is null`,
    [id, answer.userId, answer.code, answer.accessToken, answer.refreshToken, now, answer.notAfter],
  );
  return rowCount === 1;
}

export async function deleteState(tx: Executor, id: string): Promise<void> {
  await tx.query("delete from auth.flow_state where id = $1", [id]);
}

/**
 * Deletes some of the abandoned sign-ins. The flow of a mailed link lives as long as its link. Returns the largest number of
 * rows deleted from one table.
 */
export async function forgetStates(
  tx: Executor,
  before: { readonly signIns: Date; readonly links: Date },
  most: number,
): Promise<number> {
  const client = await tx.query(
    `delete from auth.oauth_client_states
     where id in (select id from auth.oauth_client_states where created_at < $1 limit $2)`,
    [before.signIns, most],
  );
  const flow = await tx.query(
    `delete from auth.flow_state where id in (select id from auth.flow_state
       where created_at < case authentication_method when 'otp' then $2::timestamptz else $1 end limit $3)`,
    [before.signIns, before.links, most],
  );
  const relay = await tx.query(
    `delete from auth.saml_relay_states
     where id in (select id from auth.saml_relay_states where created_at < $1 limit $2)`,
    [before.signIns, most],
  );
  return Math.max(client.rowCount ?? 0, flow.rowCount ?? 0, relay.rowCount ?? 0);
}

export async function findIdentity(
  tx: Executor,
  provider: string,
  providerId: string,
): Promise<Pick<IdentityRow, "id" | "user_id"> | undefined> {
  const { rows } = await tx.query<Pick<IdentityRow, "id" | "user_id">>(
    "select id, user_id from auth.identities where provider = $1 and provider_id = $2",
    [provider, providerId],
  );
  return rows[0];
}

/**
 * The accounts that the verified addresses belong to. An identity counts only with an address its provider has verified.
 * Otherwise someone could link a provider's account that claims a stranger's address, and wait for the stranger.
 */
export async function findOwners(
  tx: Executor,
  emails: readonly string[],
  ssoProvider: string | undefined,
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    ssoProvider === undefined
      ? `select u.id from auth.users u
         where u.is_sso_user = false and u.deleted_at is null and (u.email = any ($1) or exists (
           select from auth.identities i where i.user_id = u.id and i.email = any ($1)
             and i.provider not like 'sso:%' and i.identity_data -> 'email_verified' = 'true'))`
      : `select distinct u.id from auth.users u join auth.identities i on i.user_id = u.id
         where i.email = any ($1) and i.provider = $2 and u.deleted_at is null`,
    ssoProvider === undefined ? [emails] : [emails, ssoProvider],
  );
  return rows.map(({ id }) => id);
}

export async function renewIdentity(
  tx: Executor,
  id: string,
  data: Readonly<Record<string, unknown>>,
  now: Date,
): Promise<void> {
  await tx.query(
    "update auth.identities set identity_data = $2, last_sign_in_at = $3, updated_at = $3 where id = $1",
    [id, JSON.stringify(data), now],
  );
}

export async function deleteIdentity(tx: Executor, userId: string, id: string): Promise<void> {
  await tx.query("delete from auth.identities where user_id = $1 and id = $2", [userId, id]);
}

/** What an account that nobody had confirmed loses of its own, beside what `clearUnconfirmed` deletes. */
export const NOTHING_UNPROVEN = { encrypted_password: null, phone: null, phone_change: "" } as const;

/** Deletes everything added to an account that nobody had confirmed, except one identity. */
export async function clearUnconfirmed(
  tx: Executor,
  userId: string,
  kept: { provider: string; providerId: string },
) {
  await tx.query(
    "delete from auth.identities where user_id = $1 and not (provider = $2 and provider_id = $3)",
    [userId, kept.provider, kept.providerId],
  );
  await tx.query("delete from auth.sign_ups where user_id = $1", [userId]);
  await tx.query("delete from auth.one_time_tokens where user_id = $1", [userId]);
  await tx.query("delete from auth.mfa_factors where user_id = $1", [userId]);
  await tx.query("delete from auth.webauthn_credentials where user_id = $1", [userId]);
  await tx.query("delete from auth.sessions where user_id = $1", [userId]);
}

/** app_metadata lists the providers of the account's identities, oldest first. */
export async function updateProviders(tx: Executor, userId: string, now: Date): Promise<void> {
  await tx.query(
    `update auth.users set updated_at = $2, raw_app_meta_data = coalesce(raw_app_meta_data, '{}') || (
       select jsonb_build_object('provider', list ->> 0, 'providers', list) from (
         select coalesce(jsonb_agg(provider order by first), '[]') as list from (
           select provider, min(created_at) as first from auth.identities where user_id = $1 group by provider
         ) as own) as named)
     where id = $1`,
    [userId, now],
  );
}
