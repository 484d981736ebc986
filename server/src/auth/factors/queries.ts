// The SQL of second factors and their challenges.
import { randomUUID } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import { type FactorType, METHOD_OF_FACTOR } from "./methods.ts";
import type { StoredCredential } from "../webauthn/credentials.ts";

export interface StoredFactor {
  readonly id: string;
  readonly user_id: string;
  readonly friendly_name: string | null;
  readonly factor_type: FactorType;
  readonly status: "unverified" | "verified";
  /** Sealed: see AuthParts.atRest. */
  readonly secret: string | null;
  readonly phone: string | null;
  readonly last_challenged_at: Date | null;
  readonly created_at: Date;
  readonly web_authn_credential: StoredCredential | null;
  /** The 30-second step whose code was accepted last; int8, hence text. */
  readonly last_totp_step: string | null;
}

export interface NewFactor {
  readonly id: string;
  readonly userId: string;
  readonly type: FactorType;
  readonly friendlyName: string;
  readonly status?: "verified";
  readonly secret?: string;
  readonly phone?: string;
}

const FACTOR = `select id, user_id, friendly_name, factor_type, status, secret, phone, last_challenged_at, created_at,
    web_authn_credential, last_totp_step
  from auth.mfa_factors`;

/** Two tabs that set up or remove factors of one account wait for each other. */
export async function lockFactors(tx: Executor, userId: string): Promise<void> {
  await tx.query("select from auth.users where id = $1 for no key update", [userId]);
}

export async function insertFactor(tx: Executor, factor: NewFactor, now: Date): Promise<void> {
  await tx.query(
    `insert into auth.mfa_factors (id, user_id, factor_type, friendly_name, status, secret, phone, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
    [
      factor.id,
      factor.userId,
      factor.type,
      factor.friendlyName,
      factor.status ?? "unverified",
      factor.secret,
      factor.phone,
      now,
    ],
  );
}

type Lock = "for update" | "no lock";

/** One of the user's factors. Locked, so that simultaneous guesses run one after the other. */
export async function findFactor(
  tx: Executor,
  userId: string,
  id: string,
  lock: Lock = "no lock",
): Promise<StoredFactor | undefined> {
  const { rows } = await tx.query<StoredFactor>(
    `${FACTOR} where id = $1 and user_id = $2${lock === "for update" ? " for update" : ""}`,
    [id, userId],
  );
  return rows[0];
}

export async function findFactors(tx: Executor, userId: string): Promise<StoredFactor[]> {
  return (await tx.query<StoredFactor>(`${FACTOR} where user_id = $1 order by created_at, id`, [userId]))
    .rows;
}

/** Deletes factors whose set-up was never finished and that have no open challenge. */
export async function deleteExpiredFactors(tx: Executor, userId: string, before: Date): Promise<void> {
  await tx.query(
    `delete from auth.mfa_factors f where user_id = $1 and status <> 'verified' and created_at < $2
       and not exists (select from auth.mfa_challenges c where c.factor_id = f.id)`,
    [userId, before],
  );
}

/** Deletes all unfinished factors, or those of one number. */
export async function deleteUnverifiedFactors(tx: Executor, userId: string, phone?: string): Promise<void> {
  await tx.query(
    `delete from auth.mfa_factors where user_id = $1 and status = 'unverified'
       and ($2::text is null or (factor_type = 'phone' and phone = $2))`,
    [userId, phone],
  );
}

export async function deleteFactor(tx: Executor, id: string): Promise<void> {
  await tx.query("delete from auth.mfa_factors where id = $1", [id]);
}

export interface FactorChanges {
  readonly status?: "verified";
  readonly friendly_name?: string;
  readonly phone?: string;
  readonly last_totp_step?: number;
  readonly web_authn_credential?: StoredCredential;
  readonly web_authn_aaguid?: string | null;
}

export async function updateFactor(
  tx: Executor,
  id: string,
  changes: FactorChanges,
  now: Date,
): Promise<void> {
  const entries = Object.entries(changes);
  const assignments = entries.map(([column], index) => `${column} = $${index + 3}`);
  const values = entries.map(([, value]) =>
    value !== null && typeof value === "object" ? JSON.stringify(value) : value,
  );
  await tx.query(
    `update auth.mfa_factors set ${["updated_at = $2", ...assignments].join(", ")} where id = $1`,
    [id, now, ...values],
  );
}

/**
 * Sessions that this factor raised fall back; once no factor is left, all of the user's sessions do. The session `keep`, the
 * caller's own, keeps what it has proved: otherwise a user who signed in with a recovery code would lock themselves out
 * halfway.
 */
export async function lowerSessions(
  tx: Executor,
  gone: { userId: string; factorId: string; method: string; keep?: string },
): Promise<void> {
  const { rows } = await tx.query<{ any: boolean }>(
    "select exists (select from auth.mfa_factors where user_id = $1 and id <> $2 and status = 'verified') as any",
    [gone.userId, gone.factorId],
  );
  const isLast = !rows[0]!.any;
  await tx.query(
    `with lowered as (update auth.sessions set aal = 'aal1', factor_id = null
       where user_id = $1 and (case when $5 then aal > 'aal1' else factor_id = $2 and id is distinct from $4 end) returning id)
     delete from auth.mfa_amr_claims c using lowered l where c.session_id = l.id
       and (c.authentication_method = $3 or ($5 and c.authentication_method = any ($6)))`,
    [gone.userId, gone.factorId, gone.method, gone.keep, isLast, SECOND_STEPS],
  );
}

/** What only a second factor proves. */
const SECOND_STEPS: readonly string[] = Object.values(METHOD_OF_FACTOR);

/**
 * Sessions opened elsewhere before there was a second factor have to take the second step too. The same holds for someone who
 * left for a provider before it to link an identity.
 */
export async function endSessionsBelowAal2(tx: Executor, userId: string): Promise<void> {
  await tx.query("delete from auth.flow_state where linking_target_id = $1", [userId]);
  await tx.query("delete from auth.sessions where user_id = $1 and aal < 'aal2'", [userId]);
}

export interface ChallengeRow {
  readonly id: string;
  readonly created_at: Date;
  readonly verified_at: Date | null;
  /** Whether the caller has the address that requested it. */
  readonly is_same_address: boolean;
  /** Sealed. */
  readonly otp_code: string | null;
  readonly web_authn_session_data: { readonly challenge: string } | null;
}

export interface NewChallenge {
  readonly factorId: string;
  readonly ip: string;
  readonly id?: string;
  readonly otpCode?: string;
  readonly webauthn?: { readonly challenge: string };
}

/** Returns its id. */
export async function insertChallenge(tx: Executor, challenge: NewChallenge, now: Date): Promise<string> {
  const id = challenge.id ?? randomUUID();
  await tx.query(
    `insert into auth.mfa_challenges (id, factor_id, created_at, ip_address, otp_code, web_authn_session_data)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      id,
      challenge.factorId,
      now,
      challenge.ip,
      challenge.otpCode,
      challenge.webauthn && JSON.stringify(challenge.webauthn),
    ],
  );
  await tx.query("update auth.mfa_factors set last_challenged_at = $2 where id = $1", [
    challenge.factorId,
    now,
  ]);
  return id;
}

export async function findChallenge(
  tx: Executor,
  factorId: string,
  id: string,
  ip: string,
): Promise<ChallengeRow | undefined> {
  const { rows } = await tx.query<ChallengeRow>(
    `select id, created_at, verified_at, ip_address = $3::inet as is_same_address, otp_code, web_authn_session_data
     from auth.mfa_challenges where id = $1 and factor_id = $2`,
    [id, factorId, ip],
  );
  return rows[0];
}

export async function markChallengeVerified(tx: Executor, id: string, now: Date): Promise<void> {
  await tx.query("update auth.mfa_challenges set verified_at = $2 where id = $1", [id, now]);
}

export async function deleteChallenge(tx: Executor, id: string): Promise<void> {
  await tx.query("delete from auth.mfa_challenges where id = $1", [id]);
}

/** Deletes up to `most` challenges that can no longer be answered. */
export async function forgetChallenges(tx: Executor, before: Date, most: number): Promise<number> {
  const { rowCount } = await tx.query(
    `delete from auth.mfa_challenges where id in (select id from auth.mfa_challenges where created_at < $1 limit $2)`,
    [before, most],
  );
  return rowCount ?? 0;
}
