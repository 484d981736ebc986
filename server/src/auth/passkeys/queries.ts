// The SQL of passkeys and of the challenges they answer.
import { randomUUID } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import type { KnownCredential } from "../webauthn/queries.ts";
import type { StoredCredential, UsedCredential } from "../webauthn/credentials.ts";

export interface PasskeyRow {
  readonly id: string;
  readonly user_id: string;
  readonly credential_id: Buffer;
  readonly public_key: Buffer;
  readonly attestation_type: string;
  readonly aaguid: string | null;
  /** int8, hence text. */
  readonly sign_count: string;
  readonly transports: readonly string[];
  readonly backup_eligible: boolean;
  readonly backed_up: boolean;
  readonly friendly_name: string;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

const PASSKEY = `select id, user_id, credential_id, public_key, attestation_type, aaguid, sign_count, transports,
    backup_eligible, backed_up, friendly_name, created_at, last_used_at
  from auth.webauthn_credentials`;

export async function findPasskeys(tx: Executor, userId: string): Promise<PasskeyRow[]> {
  return (await tx.query<PasskeyRow>(`${PASSKEY} where user_id = $1 order by created_at, id`, [userId])).rows;
}

export async function findPasskey(tx: Executor, userId: string, id: string): Promise<PasskeyRow | undefined> {
  const { rows } = await tx.query<PasskeyRow>(`${PASSKEY} where id = $1 and user_id = $2`, [id, userId]);
  return rows[0];
}

/** By the credential's id, base64url. Locked, because its counter only goes up. */
export async function lockPasskeyOfCredential(tx: Executor, id: string): Promise<PasskeyRow | undefined> {
  const { rows } = await tx.query<PasskeyRow>(`${PASSKEY} where credential_id = $1 for update`, [
    Buffer.from(id, "base64url"),
  ]);
  return rows[0];
}

export const credentialOf = (row: PasskeyRow): StoredCredential => ({
  id: row.credential_id.toString("base64url"),
  publicKey: row.public_key.toString("base64url"),
  attestationType: row.attestation_type,
  transport: row.transports,
  flags: { backupEligible: row.backup_eligible, backupState: row.backed_up },
  authenticator: { signCount: Number(row.sign_count) },
  aaguid: row.aaguid,
});

export const knownCredential = (row: PasskeyRow): KnownCredential => ({
  id: row.credential_id.toString("base64url"),
  transports: row.transports,
});

/** Rejects with SQLSTATE 23505 when the credential is already registered. */
export async function insertPasskey(
  tx: Executor,
  passkey: { userId: string; credential: StoredCredential; friendlyName: string },
  now: Date,
): Promise<string> {
  const { credential } = passkey;
  const id = randomUUID();
  await tx.query(
    `insert into auth.webauthn_credentials (id, user_id, credential_id, public_key, attestation_type, aaguid, sign_count,
       transports, backup_eligible, backed_up, friendly_name, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)`,
    [
      id,
      passkey.userId,
      Buffer.from(credential.id, "base64url"),
      Buffer.from(credential.publicKey, "base64url"),
      credential.attestationType,
      credential.aaguid,
      credential.authenticator.signCount,
      JSON.stringify(credential.transport),
      credential.flags.backupEligible,
      credential.flags.backupState,
      passkey.friendlyName,
      now,
    ],
  );
  return id;
}

export async function notePasskeyUse(
  tx: Executor,
  id: string,
  used: UsedCredential,
  now: Date,
): Promise<void> {
  await tx.query(
    `update auth.webauthn_credentials set sign_count = $2, backed_up = $3, last_used_at = $4, updated_at = $4
     where id = $1`,
    [id, used.signCount, used.backedUp, now],
  );
}

export async function renamePasskey(tx: Executor, id: string, name: string, now: Date): Promise<void> {
  await tx.query("update auth.webauthn_credentials set friendly_name = $2, updated_at = $3 where id = $1", [
    id,
    name,
    now,
  ]);
}

export async function deletePasskey(tx: Executor, id: string): Promise<void> {
  await tx.query("delete from auth.webauthn_credentials where id = $1", [id]);
}

type Ceremony = "registration" | "authentication";

/** Returns its id. `userId`: null when it is not yet known who will answer. */
export async function insertPasskeyChallenge(
  tx: Executor,
  challenge: { userId: string | null; type: Ceremony; challenge: string; expiresAt: Date },
  now: Date,
): Promise<string> {
  const id = randomUUID();
  await tx.query(
    `insert into auth.webauthn_challenges (id, user_id, challenge_type, session_data, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      id,
      challenge.userId,
      challenge.type,
      JSON.stringify({ challenge: challenge.challenge }),
      now,
      challenge.expiresAt,
    ],
  );
  return id;
}

/** Deletes and returns it, so that it can be answered only once, rightly or not. */
export async function takePasskeyChallenge(
  tx: Executor,
  id: string,
  wanted: { type: Ceremony; userId: string | null },
): Promise<{ challenge: string; expires_at: Date } | undefined> {
  const { rows } = await tx.query<{ challenge: string; expires_at: Date }>(
    `delete from auth.webauthn_challenges
     where id = $1 and challenge_type = $2 and user_id is not distinct from $3
     returning session_data ->> 'challenge' as challenge, expires_at`,
    [id, wanted.type, wanted.userId],
  );
  return rows[0];
}

/** Deletes up to `most` challenges that can no longer be answered. */
export async function forgetCeremonies(tx: Executor, before: Date, most: number): Promise<number> {
  const { rowCount } = await tx.query(
    `delete from auth.webauthn_challenges
     where id in (select id from auth.webauthn_challenges where expires_at < $1 limit $2)`,
    [before, most],
  );
  return rowCount ?? 0;
}
