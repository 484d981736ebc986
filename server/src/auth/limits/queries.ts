// The SQL of wrong passwords and of where an account was used from.
import type { Executor } from "../../postgres/executor.ts";

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

/** Whether one of the user's sessions was last used from this address. */
export async function wasUsedFrom(tx: Executor, userId: string, ip: string | undefined): Promise<boolean> {
  const { rowCount } = await tx.query(
    "select from auth.sessions where user_id = $1 and ip = $2::inet limit 1",
    [userId, ip],
  );
  return rowCount === 1;
}
