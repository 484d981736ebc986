// Adds up stock, orders, tickets, payments, refunds and the outbox from the tables, with separate SQL: it shares nothing with
// what it checks. Each query lists what is wrong; a sound shop gives empty lists.

const always: Readonly<Record<string, string>> = {
  "stock does not add up": `
    select id from public.products where current_inventory + held + sold <> total_inventory`,
  "held is not what pending orders hold": `
    select k.id from public.products k
    where k.held <> coalesce((select sum(i.quantity) from public.order_items i
      join public.orders o on o.id = i.order_id and o.status = 'pending'
      where k.id = i.product_id), 0) + coalesce((select sum(w.offered)
        from public.waitlist_entries w where w.ticket_type_id = k.id and w.state = 'offered'), 0)`,
  "the waitlist's units are not those of its entries": `
    select t.id from public.products t where (t.waiting, t.offered) <> (
      coalesce((select sum(quantity) from public.waitlist_entries w where w.ticket_type_id = t.id and w.state = 'waiting'), 0),
      coalesce((select sum(offered) from public.waitlist_entries w where w.ticket_type_id = t.id and w.state = 'offered'), 0))`,
  "a place that no pending order uses, or more of it than the order takes": `
    select w.id from public.waitlist_entries w where w.state = 'claimed' and not exists (
      select from public.orders o join public.order_items i on i.order_id = o.id
      where o.id = w.order_id and o.status = 'pending' and o.user_id = w.user_id and o.has_place
        and i.product_id = w.ticket_type_id and i.quantity >= w.offered)`,
  "sold is not the tickets that are valid": `
    select k.id from public.ticket_types k where k.sold <> (select count(*) from public.tickets t
      where t.ticket_type_id = k.id and t.voided_at is null)`,
  "what was sold without tickets is not that of paid orders": `
    select k.id from public.products k where k.kind <> 'ticket' and k.sold <> coalesce((select sum(i.quantity - i.refunded) from public.order_items i
      join public.orders o on o.id = i.order_id and o.status in ('confirmed', 'completed')
      where i.product_id = k.id), 0)`,
  "an order item without exactly its codes": `
    select i.id from public.order_items i join public.orders o on o.id = i.order_id join public.product_kinds k using (kind)
    where k.has_code and o.status in ('confirmed', 'completed')
      and (select count(*) from public.entry_codes c where c.order_item_id = i.id) <> i.quantity`,
  "a code of another kind or product than its order item": `
    select c.id from public.entry_codes c join public.order_items i on i.id = c.order_item_id
    where (c.kind, c.product_id, c.order_id) is distinct from (i.kind, i.product_id, i.order_id)`,
  "refunded units that are not the void codes": `
    select i.id from public.order_items i join public.product_kinds k using (kind) where k.has_code
      and i.refunded <> (select count(*) from public.entry_codes c where c.order_item_id = i.id and c.voided_at is not null)`,
  // A unit that a promo code made free becomes void without a refund.
  "refunds that do not name the units that were given back": `
    select i.id from public.order_items i join public.orders o on o.id = i.order_id and o.channel = 'online' and o.total_amount > 0
    where public.line_net(i) > 0 and i.refunded <> coalesce((select sum((l ->> 'quantity')::integer) from public.refunds r, jsonb_array_elements(r.items) l
      where r.order_id = i.order_id and l ->> 'order_item_id' = i.id::text
        and not exists (select from public.refunds a where a.retry_of = r.id)), 0)`,
  "refunds that do not name the money that was given back": `
    select i.id from public.order_items i join public.orders o on o.id = i.order_id and o.channel = 'online'
      and o.status in ('confirmed', 'completed')
    where i.refunded_amount <> coalesce((select sum((l ->> 'amount')::numeric) from public.refunds r, jsonb_array_elements(r.items) l
      where r.order_id = i.order_id and l ->> 'order_item_id' = i.id::text
        and (r.status <> 'failed' or (l ->> 'quantity')::integer > 0)
        and not exists (select from public.refunds a where a.retry_of = r.id)), 0)`,
  "a door sale that its till did not take, or a void one that it did not give back": `
    select o.id from public.orders o where o.channel = 'door' and (
      o.total_amount is distinct from (select sum(amount) from public.till_payments where order_id = o.id and kind = 'sale')
      or case o.status when 'cancelled' then o.total_amount else 0 end <>
        coalesce((select sum(amount) from public.till_payments where order_id = o.id and kind = 'refund'), 0))`,
  "money in a till for what is no door sale": `
    select p.id from public.till_payments p join public.orders o on o.id = p.order_id where o.channel <> 'door'`,
  "a payment or a refund of what was not bought online": `
    select order_id from (select order_id from public.payments union all select order_id from public.refunds) as m
    join public.orders o on o.id = m.order_id where o.channel <> 'online'`,
  "a refund whose items cost another amount": `
    select r.id from public.refunds r where r.items <> '[]' and r.amount - r.fee <> (
      select sum((l ->> 'amount')::numeric) from jsonb_array_elements(r.items) l)`,
  "a void code with a picture, or one that was not reissued": `
    select id from public.entry_codes where voided_at is not null
      and (qr_code_data is not null or qr_code_url is not null or issue_number = 1)`,
  "a ticket with more or fewer codes than transfers, corrections and refunds made": `
    select t.id from public.tickets t where t.issue_number <> 1 + (t.voided_at is not null)::integer
      + (select count(*) from public.ticket_transfers r where r.ticket_id = t.id and r.state = 'accepted')
      + (select count(*) from public.attendee_corrections c where c.ticket_id = t.id)`,
  "a ticket held by another than bought or accepted it last": `
    select t.id from public.tickets t join public.orders o on o.id = t.order_id left join lateral (
      select r.to_user_id, r.issue_number from public.ticket_transfers r where r.ticket_id = t.id and r.state = 'accepted'
      order by r.issue_number desc limit 1) as last on true
    where t.transferred_issue is distinct from last.issue_number
      or t.user_id is distinct from case when last.issue_number is null then o.user_id else last.to_user_id end`,
  "two open offers of a ticket, or one of a void ticket": `
    select ticket_id from public.ticket_transfers where state = 'offered' group by 1 having count(*) > 1
    union all select t.id from public.ticket_transfers r join public.tickets t on t.id = r.ticket_id
      where r.state = 'offered' and t.voided_at is not null`,
  "a paid order that counts other tickets than are valid": `
    select o.id from public.orders o where o.status in ('confirmed', 'completed') and o.ticket_count <>
      (select count(*) from public.tickets t where t.order_id = o.id and t.voided_at is null)`,
  "a paid order without a valid ticket": `
    select o.id from public.orders o where o.status in ('confirmed', 'completed')
      and not exists (select from public.tickets t where t.order_id = o.id and t.voided_at is null)
      -- A car park's till sells parking alone.
      and not (o.channel = 'door' and o.ticket_count = 0
        and exists (select from public.entry_codes c where c.order_id = o.id and c.voided_at is null))`,
  "included parking that is not there with VIP tickets, or there without": `
    select i.id from public.order_items i join public.orders o on o.id = i.order_id
    where i.included and o.status in ('confirmed', 'completed') and (i.refunded = 0) <> exists (
      select from public.tickets t join public.order_items v on v.id = t.order_item_id
      where t.order_id = o.id and t.voided_at is null and public.names_vip(v.name))`,
  "a buyer with more tickets than one may have": `
    select user_id from public.orders where status <> 'cancelled' and user_id is not null group by 1
    having sum(ticket_count) > (select max_tickets_per_buyer from public.shop_settings)`,
  "a valid code of an order that is not paid": `
    select t.id from public.entry_codes t join public.orders o on o.id = t.order_id
    where t.voided_at is null and o.status not in ('confirmed', 'completed')`,
  "an order's total is not that of its items": `
    select o.id from public.orders o where o.total_amount <>
      o.fee_amount + (select sum(quantity * unit_price - discount) from public.order_items i where i.order_id = o.id)`,
  "a fee given back that no refund names": `
    select o.id from public.orders o where o.channel = 'online' and o.status in ('confirmed', 'completed') and o.fee_refunded <> coalesce((
      select sum(r.fee) from public.refunds r where r.payment_intent_id = o.payment_intent_id
        and (r.status <> 'failed' or exists (select from jsonb_array_elements(r.items) l where (l ->> 'quantity')::integer > 0))
        and not exists (select from public.refunds a where a.retry_of = r.id)), 0)`,
  "a free order with a fee": `
    select o.id from public.orders o where o.fee_amount > 0 and o.total_amount = o.fee_amount`,
  "an order's discount is not that of its items, or comes from no code": `
    select o.id from public.orders o where o.discount_amount <>
      (select sum(discount) from public.order_items i where i.order_id = o.id)
      or (o.discount_amount > 0) <> (o.promo_code_id is not null)`,
  "a promo code's uses are not its orders": `
    select c.id from public.promo_codes c cross join lateral (
      select count(*) filter (where status = 'pending') as held, count(*) filter (where status in ('confirmed', 'completed')) as used
      from public.orders o where o.promo_code_id = c.id) as o
    where (c.held, c.used) <> (o.held, o.used)`,
  "a promo code used more often than it may be, over all or by one buyer": `
    select c.id from public.promo_codes c where c.held + c.used > c.max_uses or exists (
      select from public.orders o where o.promo_code_id = c.id and o.status <> 'cancelled'
      group by o.user_id having count(*) > c.max_uses_per_buyer)`,
  "a confirmed order without its payment": `
    select o.id from public.orders o where o.channel = 'online' and o.status in ('confirmed', 'completed') and o.total_amount > 0 and not exists (
      select from public.payments p where p.payment_intent_id = o.payment_intent_id and p.order_id = o.id
        and p.amount = o.total_amount and p.status <> 'failed')`,
  // A dispute or a refund made at the provider may overtake a refund in progress, which the provider then refuses.
  "a payment given back more than once": `
    select p.payment_intent_id from public.payments p join public.refunds r using (payment_intent_id)
    where r.status <> 'failed' group by p.payment_intent_id, p.amount having sum(r.amount) filter (where r.status = 'succeeded') > p.amount
      or sum(r.amount) filter (where r.reason not in ('dispute_lost', 'refunded_at_provider')) > p.amount`,
  "a confirmed order without exactly one mail": `
    select o.id from public.orders o where o.status in ('confirmed', 'completed') and o.buyer_email <> '' and (select count(*)
      from public.outbox x where x.kind = 'order_mail' and x.payload ->> 'order_id' = o.id::text) <> 1`,
  "a comp without its guest list, or a guest list of others": `
    select coalesce(o.id, c.order_id) from (select id from public.orders where channel = 'comp') as o
      full join public.comps c on c.order_id = o.id where o.id is null or c.order_id is null
    union all select l.id from public.guest_lists l
      where l.guests <> (select count(*) from public.comps c where c.guest_list_id = l.id)`,
  "sales totals are not what was sold": `
    select coalesce(s.product_id, x.product_id) from (
      select i.product_id, o.channel,
        sum(case when i.kind <> 'ticket' then i.quantity - i.refunded
          else (select count(*) from public.tickets t where t.order_item_id = i.id and t.voided_at is null) end) as sold,
        sum(i.quantity * i.unit_price - i.discount - i.refunded_amount) as revenue
      from public.order_items i join public.orders o on o.id = i.order_id and o.status in ('confirmed', 'completed') group by 1, 2
    ) as s full join public.sales_totals() x on x.product_id = s.product_id and x.channel = s.channel
    where coalesce(x.sold, 0) <> coalesce(s.sold, 0) or coalesce(x.revenue, 0) <> coalesce(s.revenue, 0)`,
  "sales by hour are not the sales totals": `
    select coalesce(h.product_id, x.product_id) from (
      select product_id, channel, sum(sold - returned) as sold, sum(revenue - returned_revenue) as revenue
      from public.sales_hours() group by 1, 2) as h
    full join public.sales_totals() x on x.product_id = h.product_id and x.channel = h.channel
    where coalesce(x.sold, 0) <> coalesce(h.sold, 0) or coalesce(x.revenue, 0) <> coalesce(h.revenue, 0)`,
  "units sold over all channels are not those of the stock": `
    select k.id from (select id, sold from public.ticket_types union all select id, sold from public.parking_passes) k
    where k.sold <> coalesce((select sum(x.sold) from public.sales_totals() x where x.product_id = k.id), 0)`,
  "a comp that earned something": `
    select product_id from public.sales_totals() where channel = 'comp' and revenue <> 0`,
  "an order that says otherwise than its tickets whether everybody is in": `
    select o.id from public.orders o cross join lateral (
      select coalesce((select bool_and(checked_in_at is not null) from public.tickets where order_id = o.id and voided_at is null),
        (select bool_and(checked_in_at is not null) from public.entry_codes where order_id = o.id and voided_at is null)) as all_in) as t
    where o.status in ('confirmed', 'completed') and (o.status = 'completed') <> coalesce(t.all_in, false)`,
  "a refund run that counts other money or orders than it refunded": `
    select run.id from public.refund_runs run
    where run.cents_refunded <> coalesce((select sum(r.amount) * 100 from public.refunds r where r.run_id = run.id and r.retry_of is null), 0)
      or run.orders_refunded < (select count(*) from public.refunds r where r.run_id = run.id and r.retry_of is null)
      or run.orders_skipped <> (select count(*) from public.refund_run_skips s where s.run_id = run.id)`,
  "an order that a run refunded twice": `
    select order_id from public.refunds where run_id is not null and retry_of is null group by order_id, run_id having count(*) > 1`,
  "a run that skipped an order and refunded it": `
    select s.order_id from public.refund_run_skips s join public.refunds r using (run_id, order_id)`,
  "a cancelled festival on sale, or an order paid after it was cancelled": `
    select null::uuid from public.shop_settings s, public.festival f where f.status = 'cancelled' and s.on_sale
    union all select o.id from public.orders o join public.festival_changes c on c.kind = 'cancelled' and o.confirmed_at > c.announced_at`,
  "money for a change that offered none": `
    select r.order_id from public.refunds r join public.orders o on o.id = r.order_id
    where r.reason in ('event_cancelled', 'event_changed') and r.run_id is null and r.retry_of is null and not exists (
      select from public.festival_changes c where c.refunds = 'on_request' and c.announced_at > o.confirmed_at
        and r.reason = case c.kind when 'cancelled' then 'event_cancelled' else 'event_changed' end)`,
  "a dispute of another order's payment, or of more than was paid": `
    select d.order_id from public.disputes d left join public.payments p using (payment_intent_id)
    where d.order_id is distinct from p.order_id or d.amount > p.amount`,
  "money lost to a bank without its dispute": `
    select r.order_id from public.refunds r left join public.disputes d
      on d.id = r.provider_refund_id and d.payment_intent_id = r.payment_intent_id and d.amount = r.amount
    where r.reason = 'dispute_lost' and d.status is distinct from 'lost'`,
};

const whenQuiet: Readonly<Record<string, string>> = {
  "an order still pending": "select id from public.orders where status = 'pending'",
  "work left undone": "select id from public.outbox where done_at is null or dead_at is not null",
  "a refund not given": `
    select r.id from public.refunds r join public.payments p using (payment_intent_id) where r.status = 'pending'
      or r.status = 'failed' and not r.superseded and not exists (select from public.refunds a where a.retry_of = r.id) and r.amount <= p.amount - (
        select coalesce(sum(g.amount), 0) from public.refunds g where g.payment_intent_id = p.payment_intent_id and g.status <> 'failed')`,
  "a refund run that has not ended": `
    select id from public.refund_runs where state <> 'done' or retry_before is not null`,
  "an order that a cancelled festival did not refund": `
    select o.id from public.orders o, public.festival_changes c
    where c.kind = 'cancelled' and c.refunds = 'everybody' and o.channel = 'online' and o.total_amount > 0
      and o.status in ('confirmed', 'completed')`,
  "a lost dispute that is no refund": `
    select d.order_id from public.disputes d where d.status = 'lost' and not exists (
      select from public.refunds r where r.provider_refund_id = d.id and r.status = 'succeeded' and r.amount = d.amount)`,
  "a payment whose refunds are not what its order gave back": `
    select p.payment_intent_id from public.payments p join public.orders o on o.id = p.order_id
    where p.status <> 'failed' and coalesce((select sum(r.amount) from public.refunds r
        where r.payment_intent_id = p.payment_intent_id and r.status <> 'failed'), 0) <>
      case when o.status in ('confirmed', 'completed') and o.payment_intent_id = p.payment_intent_id
        then o.fee_refunded + (select sum(i.refunded_amount) from public.order_items i where i.order_id = o.id) - coalesce((
          select sum((l ->> 'amount')::numeric) from public.refunds r, jsonb_array_elements(r.items) l
          where r.payment_intent_id = p.payment_intent_id and r.status = 'failed' and (l ->> 'quantity')::integer > 0
            and not exists (select from public.refunds a where a.retry_of = r.id)), 0) - coalesce((
          select sum(r.fee) from public.refunds r where r.payment_intent_id = p.payment_intent_id and r.status = 'failed'
            and exists (select from jsonb_array_elements(r.items) l where (l ->> 'quantity')::integer > 0)
            and not exists (select from public.refunds a where a.retry_of = r.id)), 0)
        when o.cancel_reason = 'refunded' and o.payment_intent_id = p.payment_intent_id then p.amount - (o.fee_amount - o.fee_refunded)
        else p.amount end`,
  "a payment that does not say what was given back": `
    select p.payment_intent_id from public.payments p cross join lateral (
      select coalesce(sum(amount), 0) as given from public.refunds r
      where r.payment_intent_id = p.payment_intent_id and r.status <> 'failed') as r
    where p.status <> 'failed' and p.status <> case when r.given = 0 then 'succeeded'
      when r.given >= p.amount then 'refunded' else 'partially_refunded' end`,
};

/** One statement, so that all of it is seen at one moment: what is wrong, how often, and one row at fault. */
const statementOf = (checks: Readonly<Record<string, string>>): string =>
  Object.entries(checks)
    .map(
      ([fault, query]) =>
        `select '${fault.replaceAll("'", "''")}' as fault, count(*)::integer as times, min(q.id::text) as one
         from (${query}) as q (id) having count(*) > 0`,
    )
    .join("\nunion all\n");

const statements = {
  always: statementOf(always),
  quiet: statementOf({ ...always, ...whenQuiet }),
};

/** Runs one of the two statements and returns its rows. */
export type ReadBooks = (text: string) => Promise<{ fault?: string; times?: number; one?: string }[]>;

/** One line for each kind of fault; `quiet` adds what must hold once nothing is in progress. */
export async function faultsInBooks(read: ReadBooks, quiet: boolean): Promise<string[]> {
  const rows = await read(quiet ? statements.quiet : statements.always);
  return rows.map(({ fault, times, one }) => `${fault}: ${times} (${one})`);
}
