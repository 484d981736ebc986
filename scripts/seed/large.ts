// The past of a large festival in a few set-based statements. Triggers are off while rows go in (one at a time they would
// take hours), so the roll-ups they keep are computed from the rows at the end.
import type { Database } from "../../server/src/postgres/database.ts";

/** Spread over the last 60 days; an order has 1 to 4 tickets of one type. */
export interface LargeAmounts {
  readonly tickets: number;
  readonly visits: number;
}

const DAYS = "interval '60 days'";
const ROWS_AT_ONCE = 500_000;

export async function seedLarge(
  database: Database,
  { tickets, visits }: LargeAmounts,
  onStep: (step: string, seconds: number) => void = () => {},
): Promise<void> {
  const service = database.asService("the seed writes the past, which no door would let anybody write");
  const step = async (name: string, statements: readonly (readonly [text: string, values?: unknown[]])[]) => {
    const started = performance.now();
    await service.transaction(async (tx) => {
      await tx.query("set local session_replication_role = replica");
      await tx.query("set local synchronous_commit = off");
      for (const [text, values] of statements) await tx.query(text, values);
    });
    onStep(name, (performance.now() - started) / 1000);
  };
  const orders = Math.ceil(tickets / 2.5);

  await step("users", [
    [
      `insert into auth.users (id, instance_id, aud, role, email, email_confirmed_at, created_at, updated_at)
       select gen_random_uuid(), '00000000-0000-0000-0000-000000000000', 'authenticated', 'authenticated',
         'buyer-' || gen_random_uuid() || '@example.com', at, at, at
       from (select now() - random() * ${DAYS} as at from generate_series(1, $1)) as past`,
      [Math.ceil(orders / 2)],
    ],
  ]);
  await step("orders", [
    [
      `create temporary table seed_buyers on commit drop as
        select id, email, row_number() over () as n from auth.users where email like 'buyer-%'`,
    ],
    ["create index on seed_buyers (n)"],
    [
      `create temporary table seed_types on commit drop as
        select id, name, price, row_number() over (order by price) as n from public.ticket_types`,
    ],
    [
      `create temporary table seed_orders on commit drop as
       select gen_random_uuid() as id, gen_random_uuid() as item_id, now() - random() * ${DAYS} as at,
         1 + (i % 4) as quantity, 1 + (i % (select count(*) from seed_types)) as type_n,
         1 + (i % (select count(*) from seed_buyers)) as buyer_n, 'pi_seed_' || gen_random_uuid() as intent
       from generate_series(1, $1::integer) as i`,
      [orders],
    ],
    [
      `insert into public.orders (id, user_id, status, total_amount, buyer_full_name, buyer_email, buyer_phone_number,
          payment_intent_id, hold_expires_at, confirmed_at, created_at, updated_at)
        select o.id, b.id, 'confirmed', o.quantity * t.price, 'Seeded Buyer', b.email, '713 555 0100', o.intent, o.at,
          o.at, o.at, o.at
        from seed_orders o join seed_buyers b on b.n = o.buyer_n join seed_types t on t.n = o.type_n`,
    ],
    [
      `insert into public.order_items (id, order_id, position, ticket_type_id, name, quantity, unit_price)
        select o.item_id, o.id, 1, t.id, t.name, o.quantity, t.price
        from seed_orders o join seed_types t on t.n = o.type_n`,
    ],
    [
      `insert into public.payments (payment_intent_id, order_id, amount, status, created_at)
        select o.intent, o.id, o.quantity * t.price, 'succeeded', o.at
        from seed_orders o join seed_types t on t.n = o.type_n`,
    ],
    [
      `insert into public.tickets (order_id, order_item_id, ticket_type_id, user_id, position, attendee_name,
          attendee_email, created_at)
        select o.id, o.item_id, t.id, b.id, unit, 'Seeded Attendee', b.email, o.at
        from seed_orders o join seed_types t on t.n = o.type_n join seed_buyers b on b.n = o.buyer_n,
          generate_series(1, o.quantity) as unit`,
    ],
    [
      `update public.ticket_types t
        set total_inventory = total_inventory + s.units, sold = sold + s.units
        from (select t.id, sum(o.quantity)::integer as units
          from seed_orders o join seed_types t on t.n = o.type_n group by 1) as s
        where t.id = s.id`,
    ],
  ]);
  for (let done = 0; done < visits; done += ROWS_AT_ONCE) {
    await step(`visits from ${done}`, [
      [
        `insert into public.site_visits (session_id, page_path, device_type, browser_name, visit_duration, created_at,
            updated_at)
         select 'seed-visitor-' || (i / 5), (array['/', '/tickets', '/schedule', '/map', '/faq', '/about', '/vendors',
             '/sponsors', '/checkout', '/my-tickets'])[1 + floor(power(random(), 2) * 10)::integer],
           (array['mobile', 'tablet', 'desktop'])[1 + (i % 3)], 'Chrome', (i % 300)::integer, at, at
         from (select i, now() - interval '2 minutes' - random() * ${DAYS} as at
           from generate_series($1::bigint, $2::bigint) as i) as past`,
        [done + 1, Math.min(done + ROWS_AT_ONCE, visits)],
      ],
    ]);
  }
  await step("roll-ups", [
    [
      `truncate public.sales_totals, public.order_tallies, public.user_days, public.visit_tail, public.visit_hours,
        public.visit_days, public.visit_pages`,
    ],
    [
      `insert into public.sales_totals
        select coalesce(i.ticket_type_id, i.parking_pass_id), i.ticket_type_id is not null, sum(i.quantity),
          sum(i.quantity * i.unit_price)
        from public.order_items i join public.orders o on o.id = i.order_id and o.status in ('confirmed', 'completed')
        group by 1, 2`,
    ],
    [
      `insert into public.order_tallies
        select public.festival_day(created_at), status, count(*) from public.orders group by 1, 2`,
    ],
    [
      `insert into public.user_days
        select public.festival_day(coalesce(created_at, now())), count(*) from auth.users group by 1`,
    ],
    [
      "insert into public.visit_hours select date_trunc('hour', created_at), count(*) from public.site_visits group by 1",
    ],
    [
      `insert into public.visit_days
        select public.festival_day(created_at), count(*), count(distinct session_id)
        from public.site_visits group by 1`,
    ],
    [
      `insert into public.visit_pages
        select public.festival_day(created_at), page_path, count(*) from public.site_visits group by 1, 2`,
    ],
    [
      `insert into public.visit_sessions
        select distinct public.festival_day(created_at), session_id from public.site_visits
        where created_at > now() - interval '2 days' on conflict do nothing`,
    ],
  ]);
  const started = performance.now();
  await service.query("analyze");
  onStep("statistics", (performance.now() - started) / 1000);
}
