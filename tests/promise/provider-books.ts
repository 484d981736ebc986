// Compares what the payments sandbox has charged and refunded with what the shop's tables record as sold. Separate SQL, for a
// shop at rest.

/** Reads rows, bypassing row-level security. */
export type Sql = (text: string) => Promise<Record<string, unknown>[]>;

const CHECKS: Readonly<Record<string, string>> = {
  "money kept that buys nothing, or tickets not paid for": `
    with intents as (
      select id, coalesce((body ->> 'amount_received')::integer, 0) as received, body #>> '{metadata,order_id}' as order_id
      from payments_sandbox.objects where kind = 'payment_intent'
    ), given as (
      select body ->> 'payment_intent' as id, sum((body ->> 'amount')::integer) as cents
      from payments_sandbox.objects where kind = 'refund' group by 1
    ), worth as (
      select payment_intent_id as id, (total_amount - fee_refunded - (
          select sum(i.refunded_amount) from public.order_items i where i.order_id = o.id)) * 100 as cents
      from public.orders o where status in ('confirmed', 'completed')
    )
    select i.id from intents i left join given g using (id) left join worth w using (id)
    where received - coalesce(g.cents, 0) <> coalesce(w.cents, 0)`,
  "a cancelled order that could still be paid": `
    select o.id::text from public.orders o join payments_sandbox.objects i
      on i.kind = 'payment_intent' and i.body #>> '{metadata,order_id}' = o.id::text
    where o.status = 'cancelled' and i.body ->> 'status' not in ('canceled', 'succeeded')`,
  "an order with two payment intents": `
    select body #>> '{metadata,order_id}' from payments_sandbox.objects where kind = 'payment_intent'
    group by 1 having count(*) > 1`,
  "a refund that the books do not know": `
    select s.id from payments_sandbox.objects s where s.kind = 'refund'
      and not exists (select from public.refunds r where r.provider_refund_id = s.id and r.status = 'succeeded')`,
};

export async function faultsAtProvider(sql: Sql): Promise<string[]> {
  const faults: string[] = [];
  for (const [fault, query] of Object.entries(CHECKS)) {
    const rows = await sql(query);
    if (rows.length > 0) faults.push(`${fault}: ${rows.length} (${JSON.stringify(rows[0])})`);
  }
  return faults;
}
