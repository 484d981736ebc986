// The orders of a large festival, paid and with their tickets and parking permits. An order has 1 to 4 tickets of one type, every fourth
// also a parking pass, a VIP order the included one. A buyer has two orders. As many codes are in as `scans` says. Stock and payments add
// up as if they had been sold.
import type { Executor } from "../../server/src/postgres/executor.ts";
import { rebuildingIndexes } from "./rebuilt-indexes.ts";

const TICKETS_AN_ORDER = 2.5;
const LOADED = [
  "auth.users",
  ...["orders", "order_items", "payments", "entry_codes", "order_words"].map((name) => `public.${name}`),
];
/** When a code was scanned, or null: the share $1 of all codes, within the last hours and after the sale. */
const SCANNED = "case when random() < $1 then greatest(o.at, now() - random() * interval '8 hours') end";

export async function seedOrders(tx: Executor, tickets: number, scans: number): Promise<void> {
  const orders = Math.ceil(tickets / TICKETS_AN_ORDER);
  await rebuildingIndexes(tx, LOADED, async () => {
    await tx.query(
      `insert into auth.users (id, instance_id, aud, role, email, email_confirmed_at, created_at, updated_at)
       select gen_random_uuid(), '00000000-0000-0000-0000-000000000000', 'authenticated', 'authenticated',
         'buyer-' || gen_random_uuid() || '@example.com', at, at, at
       from (select now() - random() * interval '60 days' as at from generate_series(1, $1)) as past`,
      [Math.ceil(orders / 2)],
    );
    await tx.query(`create temporary table seed_buyers on commit drop as
        select id, email, row_number() over () as n from auth.users where email like 'buyer-%'`);
    await tx.query("create index on seed_buyers (n)");
    await tx.query(`create temporary table seed_types on commit drop as
        select id, name, price, is_vip, row_number() over (order by price) as n from public.ticket_types`);
    await tx.query(`create temporary table seed_passes on commit drop as
        select id, type_name, price, is_general, row_number() over (order by price) as n from public.parking_passes`);
    await tx.query(
      `create temporary table seed_orders on commit drop as
       select gen_random_uuid() as id, gen_random_uuid() as item_id, now() - random() * interval '60 days' as at,
         1 + (i % 4) as quantity, 1 + (i % (select count(*) from seed_types)) as type_n,
         1 + (i % (select count(*) from seed_buyers)) as buyer_n,
         case when i % 4 = 0 then 1 + (i / 4) % (select count(*) from seed_passes) end as pass_n, 'pi_seed_' || gen_random_uuid() as intent
       from generate_series(1, $1::integer) as i`,
      [orders],
    );
    await tx.query(`create temporary table seed_parking on commit drop as
        select gen_random_uuid() as item_id, o.id as order_id, p.id as pass_id, p.type_name, p.price, 2 as position,
          false as included, o.buyer_n, o.at from seed_orders o join seed_passes p on p.n = o.pass_n
        union all select gen_random_uuid(), o.id, p.id, p.type_name, 0, 3, true, o.buyer_n, o.at
          from seed_orders o join seed_types t on t.n = o.type_n and t.is_vip join seed_passes p on p.is_general`);
    await tx.query(`insert into public.orders (id, user_id, status, total_amount, buyer_full_name, buyer_email, buyer_phone_number,
          attendees, payment_intent_id, hold_expires_at, confirmed_at, created_at, updated_at)
        select o.id, b.id, 'confirmed', o.quantity * t.price + coalesce(p.price, 0), 'Seeded Buyer', b.email, '713 555 0100',
          (select jsonb_agg(jsonb_build_object('name', 'Seeded Attendee', 'email', b.email) order by n) from generate_series(1, o.quantity) as n), o.intent, o.at,
          o.at, o.at, o.at
        from seed_orders o join seed_buyers b on b.n = o.buyer_n join seed_types t on t.n = o.type_n
        left join seed_passes p on p.n = o.pass_n`);
    await tx.query(`insert into public.order_items (id, order_id, position, product_id, kind, name, quantity, unit_price)
        select o.item_id, o.id, 1, t.id, 'ticket', t.name, o.quantity, t.price
        from seed_orders o join seed_types t on t.n = o.type_n`);
    await tx.query(`insert into public.order_items (id, order_id, position, product_id, kind, name, quantity, unit_price, included)
        select item_id, order_id, position, pass_id, 'parking', type_name, 1, price, included from seed_parking`);
    await tx.query(`insert into public.payments (payment_intent_id, order_id, amount, status, succeeded_at, created_at)
        select o.intent, o.id, o.quantity * t.price + coalesce(p.price, 0), 'succeeded', o.at, o.at
        from seed_orders o join seed_types t on t.n = o.type_n left join seed_passes p on p.n = o.pass_n`);
    await seedCodes(tx, scans);
    await tx.query(`insert into public.order_words
        select id, public.search_words(buyer_full_name, buyer_email, buyer_phone_number, attendees)
        from public.orders where id in (select id from seed_orders)`);
    await tx.query(`update public.products p
        set total_inventory = total_inventory + s.units, sold = sold + s.units
        from (select t.id, sum(o.quantity)::integer as units from seed_orders o join seed_types t on t.n = o.type_n group by 1
          union all select pass_id, count(*)::integer from seed_parking group by 1) as s
        where p.id = s.id`);
  });
}

async function seedCodes(tx: Executor, scans: number): Promise<void> {
  const { rows } = await tx.query<{ codes: number }>(
    `select (coalesce(sum(quantity), 0) + (select count(*) from seed_parking))::float8 as codes from seed_orders`,
  );
  const share = [scans / Math.max(rows[0]!.codes, 1)];
  await tx.query(
    `insert into public.tickets (order_id, order_item_id, ticket_type_id, user_id, position, attendee_name, attendee_email,
        created_at, checked_in_at)
      select o.id, o.item_id, t.id, b.id, unit, 'Seeded Attendee', b.email, o.at, ${SCANNED}
      from seed_orders o join seed_types t on t.n = o.type_n join seed_buyers b on b.n = o.buyer_n,
        generate_series(1, o.quantity) as unit`,
    share,
  );
  await tx.query(
    `insert into public.entry_codes (order_id, order_item_id, product_id, kind, user_id, position, created_at, checked_in_at)
      select o.order_id, o.item_id, o.pass_id, 'parking', b.id, 1, o.at, ${SCANNED}
      from seed_parking o join seed_buyers b on b.n = o.buyer_n`,
    share,
  );
  await tx.query(`update public.orders o set status = 'completed'
      from (select order_id from public.tickets group by 1 having bool_and(checked_in_at is not null)) as scanned
      where o.id = scanned.order_id and o.status = 'confirmed' and o.id in (select id from seed_orders)`);
}
