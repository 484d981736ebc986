// Brings a shop to rest: time passes and the jobs run until nothing is in progress. Whatever is left then is stuck.
import type { Sql } from "./provider-books.ts";

const JOBS = ["expire-holds", "reconcile-payments", "drain-outbox"] as const;

export interface RestingShop {
  readonly sql: Sql;
  /** Runs a job as the schedule does; false when it could not. */
  readonly job: (name: (typeof JOBS)[number]) => Promise<boolean>;
  /** Lets the provider deliver its pending webhooks. */
  readonly deliver?: () => Promise<void>;
}

/** Returns the rows that keep the shop busy, none when it rests. */
export async function bringToRest({ sql, job, deliver }: RestingShop, rounds = 12): Promise<string[]> {
  let busy: string[] = [];
  for (let round = 0; round < rounds; round++) {
    await sql(`update public.orders set hold_expires_at = least(hold_expires_at, now()), expiry_check_at = null
      where status = 'pending'`);
    // Not every time: that would restart what the server is already working on.
    if (round % 3 === 0)
      await sql("update public.outbox set next_attempt_at = now() where done_at is null and dead_at is null");
    await deliver?.();
    const ran = [];
    for (const name of JOBS) ran.push(await job(name));
    const rows = await sql(`
      select 'order ' || id || ' is ' || status as busy from public.orders where status = 'pending'
      union all select kind || ' ' || payload || ': ' || coalesce(last_error, 'not tried') from public.outbox where done_at is null
      union all select 'payment ' || id || ' is processing' from payments_sandbox.objects
        where kind = 'payment_intent' and body ->> 'status' = 'processing'
      union all select 'webhook ' || event_id || ': ' || coalesce(last_error, 'not tried') from payments_sandbox.deliveries
        where next_attempt_at is not null`);
    busy = rows.map((row) => String(row.busy));
    if (busy.length === 0 && ran.every(Boolean)) return [];
  }
  return busy;
}
