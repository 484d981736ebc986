// The SQL of the limits: wrong passwords and codes, where an account was used from, and when mails were requested.
import type { Executor } from "../../postgres/executor.ts";

export interface SignInFailures {
  readonly failures: number;
  readonly failed_at: Date;
}

/** By account, for those that have any. */
export async function findSignInFailures(
  tx: Executor,
  accounts: readonly string[],
): Promise<ReadonlyMap<string, SignInFailures>> {
  const { rows } = await tx.run<SignInFailures & { readonly account_hash: string }>({
    name: "auth_sign_in_failures",
    text: "select account_hash, failures, failed_at from auth.sign_in_failures where account_hash = any($1)",
    values: [accounts],
  });
  return new Map(rows.map((row) => [row.account_hash, row]));
}

/** Returns the new count. Starts again from one when the last failure was before `since`. */
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

/** Whether one of the user's sessions was last used from this address. */
export async function wasUsedFrom(tx: Executor, userId: string, ip: string | undefined): Promise<boolean> {
  const { rowCount } = await tx.query(
    "select from auth.sessions where user_id = $1 and ip = $2::inet limit 1",
    [userId, ip],
  );
  return rowCount === 1;
}

/**
 * Records a request for a kind of mail. Returns undefined when it may go out, otherwise the time of the last request.
 * Requests for one address wait here for each other until their transactions end.
 */
export async function noteMailRequest(
  tx: Executor,
  request: { kind: string; addressHash: string },
  now: Date,
  notSince: Date,
): Promise<Date | undefined> {
  const { rowCount } = await tx.run({
    name: "auth_note_mail_request",
    text: `insert into auth.mail_requests as m (kind, address_hash, requested_at) values ($1, $2, $3)
      on conflict (kind, address_hash) do update set requested_at = excluded.requested_at
      where m.requested_at <= $4`,
    values: [request.kind, request.addressHash, now, notSince],
  });
  if (rowCount === 1) return undefined;
  const { rows } = await tx.query<{ requested_at: Date }>(
    "select requested_at from auth.mail_requests where kind = $1 and address_hash = $2",
    [request.kind, request.addressHash],
  );
  return rows[0]!.requested_at;
}

/** Deletes some of the counters that no longer matter. Returns the larger number of rows deleted from one table. */
export async function forgetCounters(
  tx: Executor,
  before: { readonly failures: Date; readonly requests: Date },
  most: number,
): Promise<number> {
  const failures = await tx.query(
    `delete from auth.sign_in_failures
     where account_hash in (select account_hash from auth.sign_in_failures where failed_at < $1 limit $2)`,
    [before.failures, most],
  );
  const requests = await tx.query(
    `delete from auth.mail_requests where (kind, address_hash) in
       (select kind, address_hash from auth.mail_requests where requested_at < $1 limit $2)`,
    [before.requests, most],
  );
  return Math.max(failures.rowCount ?? 0, requests.rowCount ?? 0);
}
