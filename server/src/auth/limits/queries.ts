// The SQL of the limits: wrong passwords and codes, where an account was used from, and when mails were requested.
import type { Executor } from "../../postgres/executor.ts";
import type { Aal } from "../sessions/queries.ts";

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

/** A counter, and how many guesses it allows before each waits. */
interface GuessCounter {
  readonly key: string;
  readonly free: number;
}

/** Whether the counter `f` allows one more guess: the wait doubles with each beyond the free ones. */
const allowsGuess = (free: string) =>
  `f.failed_at < $4 or f.failures < ${free}
     or f.failed_at + make_interval(secs => least($5, 2 ^ least(f.failures - ${free}, 30))) <= $3`;

const countOneMore = (free: string) =>
  `on conflict (account_hash) do update set failed_at = excluded.failed_at,
     failures = case when f.failed_at < $4 then 1 else f.failures + 1 end
   where ${allowsGuess(free)}
   returning failures`;

/**
 * Counts a guess that the counters allow and returns the new counts; null where it was not counted. The row's lock makes
 * simultaneous guesses count one by one. `everywhere` is added to only while `own` is within its free guesses. A count
 * starts again from one when the last failure was before `since`.
 */
export async function reserveGuess(
  tx: Executor,
  own: GuessCounter,
  everywhere: GuessCounter,
  at: { readonly now: Date; readonly since: Date; readonly longestBackOffSeconds: number },
): Promise<{ readonly own: number | null; readonly everywhere: number | null }> {
  const { rows } = await tx.run<{ own: number | null; everywhere: number | null }>({
    name: "auth_reserve_guess",
    text: `with own as (
        insert into auth.sign_in_failures as f (account_hash, failures, failed_at) values ($1, 1, $3)
        ${countOneMore("$6::int")}
      ), everywhere as (
        insert into auth.sign_in_failures as f (account_hash, failures, failed_at)
        select $2, 1, $3 from own where own.failures <= $6::int
        ${countOneMore("$7::int")}
      )
      select (select failures from own) as own, (select failures from everywhere) as everywhere`,
    values: [own.key, everywhere.key, at.now, at.since, at.longestBackOffSeconds, own.free, everywhere.free],
  });
  return rows[0]!;
}

/** Takes back a guess that was counted and not judged. */
export async function takeBackSignInFailure(tx: Executor, account: string): Promise<void> {
  await tx.query(
    `with ended as (delete from auth.sign_in_failures where account_hash = $1 and failures <= 1)
     update auth.sign_in_failures set failures = failures - 1 where account_hash = $1 and failures > 1`,
    [account],
  );
}

export async function forgetSignInFailures(tx: Executor, account: string): Promise<void> {
  await tx.run({
    name: "auth_forget_failures",
    text: "delete from auth.sign_in_failures where account_hash = $1",
    values: [account],
  });
}

/** Whether one of the user's sessions of at least this level was last used from this address. */
export async function wasUsedFrom(
  tx: Executor,
  userId: string,
  ip: string | undefined,
  aal: Aal,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    "select from auth.sessions where user_id = $1 and ip = $2::inet and aal >= $3::auth.aal_level limit 1",
    [userId, ip, aal],
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
  // Skipped, not waited for: a guess locks its two counters in another sequence.
  const failures = await tx.query(
    `delete from auth.sign_in_failures where account_hash in
       (select account_hash from auth.sign_in_failures where failed_at < $1 limit $2 for update skip locked)`,
    [before.failures, most],
  );
  const requests = await tx.query(
    `delete from auth.mail_requests where (kind, address_hash) in
       (select kind, address_hash from auth.mail_requests where requested_at < $1 limit $2)`,
    [before.requests, most],
  );
  return Math.max(failures.rowCount ?? 0, requests.rowCount ?? 0);
}
