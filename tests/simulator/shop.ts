// The shop of a run: 64 buyers, an administrator, little stock. Owns emptying it between runs, and derives orders'
// identifiers from their keys, so that the same seed locks the same rows in the same order.
import { Client } from "pg";

const BUYERS = 64;
const SELLERS = 3;
/** The tables are swept after this many runs. */
const SWEEP_EVERY = 25;

interface Item {
  readonly id: string;
  readonly stock: number;
  readonly cents: number;
}

export interface SimulatedShop {
  readonly admin: string;
  readonly buyers: readonly string[];
  /** The sellers at the door. */
  readonly sellers: readonly string[];
  readonly general: Item;
  readonly vip: Item;
  readonly parking: Item;
  readonly promoCodes: readonly PromoCode[];
  /** When the festival starts once it has been moved. */
  readonly movedTo: string;
  /** Removes every order and restores all stock. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

/** What it takes off the cents of the tickets it is for; nothing when there are none. */
export interface PromoCode {
  readonly code: string;
  off(general: number, vip: number): number;
}

const promoCodes: readonly PromoCode[] = [
  { code: "TEN", off: (general, vip) => Math.min(1000, general + vip) },
  { code: "VIPTHIRD", off: (_general, vip) => Math.floor((vip * 33 + 50) / 100) },
  { code: "FREE", off: (general, vip) => general + vip },
];

export const fee = {
  name: "Service fee",
  percent: 7.25,
  per_ticket: 1.1,
  per_order: 0.45,
  is_refunded: true,
  in_prices: true,
};

/** All other tables concern orders, and are emptied. */
const KEPT = [
  "products",
  "product_kinds",
  "shop_settings",
  "provider_books",
  "promo_codes",
  "user_roles",
  "waiting_room",
  "gate_entrances",
  "gate_settings",
  "festival",
  "festival_sections",
];

export async function openSimulatedShop(url: string, client: Client): Promise<SimulatedShop> {
  const ids = async (text: string) => (await client.query<{ id: string }>(text)).rows.map(({ id }) => id);
  const [admin, ...people] = await ids(`insert into auth.users (id, email)
    select md5('person ' || n)::uuid, 'person' || n || '@people.test' from generate_series(0, ${BUYERS + SELLERS}) as n returning id`);
  const buyers = people.slice(0, BUYERS);
  const sellers = people.slice(BUYERS);
  await client.query(
    "insert into public.user_roles (user_id, role) values ($1, 'admin') on conflict (user_id) do update set role = 'admin'",
    [admin],
  );
  await client.query(
    "insert into public.user_roles (user_id, role, sells_at_door) select unnest($1::uuid[]), 'gate', true on conflict (user_id) do update set role = 'gate', sells_at_door = true",
    [sellers],
  );
  // A hold expires at once; the seed chooses whether the expiry job runs.
  await client.query(`update public.shop_settings set hold_duration = '1 microsecond', max_tickets_per_buyer = 500,
    max_orders_per_buyer = 1000000, fee_percent = ${fee.percent}, fee_per_ticket = ${fee.per_ticket}, fee_per_order = ${fee.per_order}`);
  await client.query(`insert into public.promo_codes (code, amount_off, percent_off, ticket_type_ids, max_uses, max_uses_per_buyer)
    select * from (values ('TEN', 10, null::integer, '{}'::uuid[], 5, null::integer), ('FREE', null, 100, '{}', 2, null),
      ('VIPTHIRD', null, 33, array(select id from public.ticket_types where is_vip), null, 1)) as codes`);
  // Transfers close two weeks before.
  const dayIn = (days: number) =>
    `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T11:00`;
  const planned = { status: "planned", starts_at: dayIn(60), ends_at: dayIn(60).replace("T11", "T22") };
  await client.query("update public.festival_sections set content = content || $1 where id = 'facts'", [
    planned,
  ]);
  await deriveOrderIds(client);

  const { rows: tables } = await client.query<{ name: string }>(
    "select format('public.%I', tablename) as name from pg_tables where schemaname = 'public' and tablename <> all ($1)",
    [KEPT],
  );
  const item = async (table: string, name: string, stock: number): Promise<Item> => {
    const { rows } = await client.query<Item>(
      `select id, $1::integer as stock, (price * 100)::integer as cents from public.${table} where ${name}`,
      [stock],
    );
    return rows[0]!;
  };
  const general = await item("ticket_types", "not is_vip order by price desc limit 1", 40);
  const vip = await item("ticket_types", "is_vip", 8);
  const parking = await item("parking_passes", "is_general", 12);

  const units = [general, vip, parking].map(({ id, stock }) => `when id = '${id}' then ${stock}`).join(" ");
  // TRUNCATE would discard every plan of every connection. Foreign keys need no check, because everything is deleted.
  const emptying = [
    "begin",
    "set local session_replication_role = replica",
    ...tables.map(({ name }) => `delete from ${name}`),
    `update public.products set held = 0, sold = 0, waiting = 0, offered = 0, current_inventory = n, total_inventory = n
      from (select id as of, case ${units} else 0 end as n from public.products) as s where of = id`,
    "update public.promo_codes set held = 0, used = 0",
    "update public.shop_settings set fee_is_refunded = true, on_sale = true",
    `update public.festival_sections set version = 1, content = content || '${JSON.stringify(planned)}' where id = 'facts'`,
    `update public.festival set status = 'planned', starts_at = timestamp '${planned.starts_at}' at time zone time_zone,
      ends_at = timestamp '${planned.ends_at}' at time zone time_zone`,
    "commit",
  ].join(";\n");
  let emptied = 0;
  // A separate connection, because disabling foreign keys makes a connection discard its plans.
  const sweeper = new Client({ connectionString: url });
  sweeper.on("error", () => {});
  await sweeper.connect();

  return {
    admin: admin!,
    buyers,
    sellers,
    general,
    vip,
    parking,
    promoCodes,
    movedTo: dayIn(90),
    async empty() {
      await sweeper.query(emptying);
      if (emptied++ % SWEEP_EVERY === 0)
        await sweeper.query(`vacuum ${tables.map(({ name }) => name).join(", ")}, public.products`);
    },
    close: () => sweeper.end(),
  };
}

/** Where each function generates an order's identifier, and what derives it here instead. */
const identifiers = [
  ["reserve_order", "gen_random_uuid()", "md5(cart ->> 'idempotency_key')::uuid"],
  ["sell_at_door", "sold.id := gen_random_uuid()", "sold.id := md5(p_key::text)::uuid"],
  ["issue_comps", "'id', gen_random_uuid()", "'id', md5(p_key::text || n)::uuid"],
] as const;

async function deriveOrderIds(client: Client): Promise<void> {
  for (const [name, made, derivedFrom] of identifiers) {
    const { rows } = await client.query<{ source: string }>(
      "select pg_get_functiondef(oid) as source from pg_proc where pronamespace = 'public'::regnamespace and proname = $1",
      [name],
    );
    const { source } = rows[0]!;
    const derived = source.replace(made, derivedFrom);
    if (derived === source) throw new Error(`${name} no longer makes its identifiers where we look`);
    await client.query(derived);
  }
}
