// The SQL that only administrators use: lists, and blanking an account.
import type { Executor } from "../../postgres/executor.ts";
import { USER, type UserRow } from "../account/queries.ts";

interface Bounds {
  readonly limit: number;
  readonly offset: number;
}

/** `filter` is searched for in the address and the full name. */
export async function listUsers(
  tx: Executor,
  { limit, offset, filter, direction }: Bounds & { filter: string; direction: "asc" | "desc" },
): Promise<{ users: UserRow[]; total: number }> {
  const where = `where ($1 = '' or u.email like '%' || $1 || '%' or u.raw_user_meta_data ->> 'full_name' ilike '%' || $1 || '%')`;
  const [users, total] = await Promise.all([
    tx.query<UserRow>(`${USER} ${where} order by u.created_at ${direction}, u.id limit $2 offset $3`, [
      filter,
      limit,
      offset,
    ]),
    tx.query<{ total: number }>(`select count(*)::int as total from auth.users u ${where}`, [filter]),
  ]);
  return { users: users.rows, total: total.rows[0]!.total };
}

export interface AuditEntry {
  readonly id: string;
  readonly payload: unknown;
  readonly created_at: Date;
  readonly ip_address: string;
}

/** Newest first. `members`: payload members, one of which must contain `value`; an empty list returns all entries. */
export async function listAuditEntries(
  tx: Executor,
  { limit, offset, members, value }: Bounds & { members: readonly string[]; value: string },
): Promise<{ entries: AuditEntry[]; total: number }> {
  const where = `where cardinality($1::text[]) = 0 or $2 = '' or exists (
    select from unnest($1::text[]) member where payload ->> member ilike '%' || $2 || '%')`;
  const [entries, total] = await Promise.all([
    tx.query<AuditEntry>(
      `select id, payload, created_at, ip_address from auth.audit_log_entries ${where}
       order by created_at desc, id limit $3 offset $4`,
      [members, value, limit, offset],
    ),
    tx.query<{ total: number }>(`select count(*)::int as total from auth.audit_log_entries ${where}`, [
      members,
      value,
    ]),
  ]);
  return { entries: entries.rows, total: total.rows[0]!.total };
}

/** Keeps nothing that identifies the user; sessions, factors, links and passkeys are deleted. */
export async function blankUser(
  tx: Executor,
  id: string,
  veiled: { email: string; phone: string; identities: readonly { id: string; provider_id: string }[] },
  now: Date,
): Promise<void> {
  await tx.query(
    `update auth.users set email = $2, phone = $3, encrypted_password = null, email_change = '', phone_change = '',
       raw_user_meta_data = '{}', raw_app_meta_data = '{}', deleted_at = $4, updated_at = $4 where id = $1`,
    [id, veiled.email, veiled.phone, now],
  );
  await tx.query(
    `update auth.identities i set identity_data = '{}', provider_id = v.provider_id, updated_at = $2
     from jsonb_to_recordset($1::jsonb) v (id uuid, provider_id text) where i.id = v.id`,
    [JSON.stringify(veiled.identities), now],
  );
  for (const table of [
    "mfa_factors",
    "sessions",
    "one_time_tokens",
    "sign_ups",
    "webauthn_credentials",
    "flow_state",
  ]) {
    await tx.query(`delete from auth.${table} where user_id = $1`, [id]);
  }
}
