// The SQL of recovery codes.
import type { Executor } from "../../postgres/executor.ts";

export interface CodeSet {
  readonly id: string;
  readonly mfa_factor_id: string;
  readonly friendly_name: string | null;
  readonly failed_verification_count: number;
  readonly verification_locked_until: Date | null;
}

export async function findCodeSet(
  tx: Executor,
  userId: string,
  lock: "for update" | "no lock" = "no lock",
): Promise<CodeSet | undefined> {
  const { rows } = await tx.query<CodeSet>(
    `select s.id, s.mfa_factor_id, f.friendly_name, s.failed_verification_count, s.verification_locked_until
     from auth.mfa_recovery_code_sets s join auth.mfa_factors f on f.id = s.mfa_factor_id
     where s.user_id = $1${lock === "for update" ? " for update of s" : ""}`,
    [userId],
  );
  return rows[0];
}

export async function insertCodeSet(
  tx: Executor,
  set: { id: string; userId: string; factorId: string; hashes: readonly string[] },
  now: Date,
): Promise<void> {
  await tx.query(
    `insert into auth.mfa_recovery_code_sets (id, user_id, mfa_factor_id, created_at, updated_at)
     values ($1, $2, $3, $4, $4)`,
    [set.id, set.userId, set.factorId, now],
  );
  await insertCodes(tx, set.id, set.hashes, now);
}

async function insertCodes(tx: Executor, setId: string, hashes: readonly string[], now: Date): Promise<void> {
  await tx.query(
    `insert into auth.mfa_recovery_codes (mfa_recovery_code_set_id, code_hash, created_at)
     select $1, hash, $3 from unnest($2::text[]) as hash`,
    [setId, hashes, now],
  );
}

/** Also lifts a lock: whoever may request new codes has proved who they are by other means. */
export async function replaceCodes(
  tx: Executor,
  setId: string,
  hashes: readonly string[],
  now: Date,
): Promise<void> {
  await tx.query("delete from auth.mfa_recovery_codes where mfa_recovery_code_set_id = $1", [setId]);
  await insertCodes(tx, setId, hashes, now);
  await tx.query(
    `update auth.mfa_recovery_code_sets
     set failed_verification_count = 0, verification_locked_until = null, updated_at = $2 where id = $1`,
    [setId, now],
  );
}

export async function countCodes(tx: Executor, setId: string): Promise<{ total: number; remaining: number }> {
  const { rows } = await tx.query<{ total: number; remaining: number }>(
    `select count(*)::int as total, (count(*) filter (where consumed_at is null))::int as remaining
     from auth.mfa_recovery_codes where mfa_recovery_code_set_id = $1`,
    [setId],
  );
  return rows[0]!;
}

/** Returns its id. */
export async function findUnusedCode(tx: Executor, setId: string, hash: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ id: string }>(
    `select id from auth.mfa_recovery_codes
     where mfa_recovery_code_set_id = $1 and code_hash = $2 and consumed_at is null`,
    [setId, hash],
  );
  return rows[0]?.id;
}

export async function useCode(tx: Executor, id: string, now: Date): Promise<void> {
  await tx.query("update auth.mfa_recovery_codes set consumed_at = $2 where id = $1", [id, now]);
}

export async function setCodeFailures(
  tx: Executor,
  set: Pick<CodeSet, "id">,
  { failures, until }: { failures: number; until: Date | null },
): Promise<void> {
  await tx.query(
    `update auth.mfa_recovery_code_sets set failed_verification_count = $2, verification_locked_until = $3 where id = $1`,
    [set.id, failures, until],
  );
}
