// Adds up stock, orders, tickets, payments, refunds and the outbox from the tables, with SQL of its own: it shares nothing
// with what it checks. Each query lists what is wrong; a sound shop gives empty lists.
import type { Client } from "pg";

const always: Readonly<Record<string, string>> = {
  "stock does not add up": `
    select id from public.ticket_types where current_inventory + held + sold <> total_inventory
    union all select id from public.parking_passes where current_inventory + held + sold <> total_inventory`,
  "held is not what pending orders hold": `
    with kinds as (select id, held from public.ticket_types union all select id, held from public.parking_passes)
    select k.id from kinds k where k.held <> coalesce((select sum(i.quantity) from public.order_items i
      join public.orders o on o.id = i.order_id and o.status = 'pending'
      where k.id in (i.ticket_type_id, i.parking_pass_id)), 0)`,
  "sold is not the tickets that are valid": `
    select k.id from public.ticket_types k where k.sold <> (select count(*) from public.tickets t
      where t.ticket_type_id = k.id and t.voided_at is null)`,
  "sold parking is not that of paid orders": `
    select k.id from public.parking_passes k where k.sold <> coalesce((select sum(i.quantity) from public.order_items i
      join public.orders o on o.id = i.order_id and o.status in ('confirmed', 'completed')
      where i.parking_pass_id = k.id), 0)`,
  "a paid order without every ticket, or an unpaid one with a valid ticket": `
    select o.id from public.orders o where (select count(*) from public.tickets t
      where t.order_id = o.id and t.voided_at is null) <> case when o.status in ('confirmed', 'completed')
      then (select sum(quantity) from public.order_items i where i.order_id = o.id and ticket_type_id is not null)
      else 0 end`,
  "an order's total is not that of its items": `
    select o.id from public.orders o where o.total_amount <>
      (select sum(quantity * unit_price) from public.order_items i where i.order_id = o.id)`,
  "a confirmed order without its payment": `
    select o.id from public.orders o where o.status in ('confirmed', 'completed') and not exists (
      select from public.payments p where p.payment_intent_id = o.payment_intent_id and p.order_id = o.id
        and p.amount = o.total_amount and p.status = 'succeeded')`,
  "a buyer with two holds": `
    select user_id from public.orders where status = 'pending' group by 1 having count(*) > 1`,
  "a payment given back more than once": `
    select p.payment_intent_id from public.payments p join public.refunds r using (payment_intent_id)
    where r.status <> 'failed' group by p.payment_intent_id, p.amount having sum(r.amount) > p.amount`,
  "a confirmed order without exactly one mail": `
    select o.id from public.orders o where o.status in ('confirmed', 'completed') and (select count(*)
      from public.outbox x where x.kind = 'order_mail' and x.payload ->> 'order_id' = o.id::text) <> 1`,
};

const whenQuiet: Readonly<Record<string, string>> = {
  "an order still pending": "select id from public.orders where status = 'pending'",
  "work left undone": "select id from public.outbox where done_at is null or dead_at is not null",
  "a refund not given": "select id from public.refunds where status <> 'succeeded'",
  "money taken for nothing": `
    select p.payment_intent_id from public.payments p join public.orders o on o.id = p.order_id
    where p.status in ('succeeded', 'refund_pending') and not (o.status in ('confirmed', 'completed')
      and o.payment_intent_id = p.payment_intent_id)`,
};

/** One line for each kind of fault; `quiet` adds what must hold when nothing is under way any more. */
export async function faultsInBooks(client: Client, quiet: boolean): Promise<string[]> {
  const faults: string[] = [];
  for (const [fault, query] of Object.entries({ ...always, ...(quiet && whenQuiet) })) {
    const { rows } = await client.query(query);
    if (rows.length > 0) faults.push(`${fault}: ${rows.length} (${JSON.stringify(rows[0])})`);
  }
  return faults;
}
