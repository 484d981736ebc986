// One seeded run: 64 buyers, late and lost replies, declined cards, crashes, and at the end a quiet shop that is sold out.
import { Client } from "pg";
import { faultsInBooks } from "./books.ts";
import { openLanes, type Lanes } from "./lanes.ts";
import { createProvider, type Intent } from "./provider.ts";
import { createRandom } from "./random.ts";

const BUYERS = 64;
const STEPS = 160;
const GENERAL = { stock: 60, cents: 4500 };
const VIP = { stock: 12, cents: 15_000 };
const PARKING = { stock: 20, cents: 2500 };

type Cart = Record<string, unknown> & { user_id: string; idempotency_key: string };

interface Answer {
  readonly ok: boolean;
  readonly code?: string;
  readonly order_id: string;
  readonly total_cents: number;
}

export interface Simulator {
  /** Faults found, none when all is well. */
  run(seed: number): Promise<string[]>;
  /** For proving that the check can fail: changes the tables behind everybody's back and checks again. */
  mutate(sql: string): Promise<string[]>;
  close(): Promise<void>;
}

export async function openSimulator(url: string): Promise<Simulator> {
  const monitor = new Client({ connectionString: url });
  monitor.on("error", () => {});
  await monitor.connect();
  const lanes = await openLanes(url, 4, monitor);
  const shop = await openShop(monitor);
  return {
    run: async (seed) => {
      await shop.reset();
      return simulate(seed, lanes, monitor, shop);
    },
    async mutate(sql) {
      await monitor.query("begin");
      await monitor.query(sql);
      const faults = await faultsInBooks(monitor, true);
      await monitor.query("rollback");
      return faults;
    },
    async close() {
      await lanes.close();
      await monitor.end();
    },
  };
}

interface Shop {
  readonly admin: string;
  readonly buyers: readonly string[];
  readonly general: string;
  readonly vip: string;
  readonly parking: string;
  reset(): Promise<void>;
}

async function openShop(client: Client): Promise<Shop> {
  const ids = async (text: string) => (await client.query<{ id: string }>(text)).rows.map(({ id }) => id);
  const users = await ids(`insert into auth.users (id, email)
    select gen_random_uuid(), 'buyer' || n || '@people.test' from generate_series(0, ${BUYERS}) as n returning id`);
  const [admin, ...buyers] = users;
  await client.query(
    "insert into public.user_roles (user_id, role) values ($1, 'admin') on conflict do nothing",
    [admin],
  );
  await client.query(
    "update public.shop_settings set max_tickets_per_buyer = 500, max_orders_per_buyer = 1000000",
  );
  const [general] = await ids("select id from public.ticket_types where name ilike '%general%'");
  const [vip] = await ids("select id from public.ticket_types where name ilike '%vip%'");
  const [parking] = await ids("select id from public.parking_passes where type_name ilike '%general%'");
  return {
    admin: admin!,
    buyers,
    general: general!,
    vip: vip!,
    parking: parking!,
    async reset() {
      await client.query(`truncate public.orders, public.order_items, public.tickets, public.payments, public.refunds,
        public.idempotency_keys, public.outbox, public.audit_logs cascade`);
      await client.query(`update public.ticket_types set held = 0, sold = 0, current_inventory = n, total_inventory = n
        from (select case when name ilike '%general%' then ${GENERAL.stock} when name ilike '%vip%' then ${VIP.stock} else 0 end as n,
          id as of from public.ticket_types) as s where of = id`);
      await client.query(`update public.parking_passes set held = 0, sold = 0, current_inventory = n, total_inventory = n
        from (select case when type_name ilike '%general%' then ${PARKING.stock} else 0 end as n,
          id as of from public.parking_passes) as s where of = id`);
    },
  };
}

async function simulate(seed: number, lanes: Lanes, monitor: Client, shop: Shop): Promise<string[]> {
  const random = createRandom(seed);
  const provider = createProvider();
  const lastCart = new Map<string, Cart>();
  /** What a buyer was told: it must be there at the end. */
  const acknowledged = new Set<string>();
  let keys = 0;

  const statement = (text: string, ...values: unknown[]) => ({ text, values });
  const nothing = () => {};
  const asUser = (id: string) =>
    statement(
      "select set_config('request.jwt.claims', $1, true)",
      JSON.stringify({ sub: id, role: "authenticated" }),
    );
  const intents = (status?: Intent["status"]) =>
    [...provider.intents.values()].filter((intent) => status === undefined || intent.status === status);
  const confirming = ({ orderId, id, cents }: Intent) =>
    statement("select public.confirm_order($1, $2, $3) as answer", orderId, id, cents);

  function cartOf(buyer: string, units?: { general: number; vip: number; parking: number }): Cart {
    const vip = units?.vip ?? (random.chance(0.2) ? 1 + random.below(2) : 0);
    const general = units?.general ?? (vip > 0 && random.chance(0.5) ? 0 : 1 + random.below(3));
    const parking = units?.parking ?? (vip === 0 && random.chance(0.3) ? 1 : 0);
    const line = (type: string, id: string, quantity: number) =>
      quantity > 0 ? [{ type, id, quantity }] : [];
    return {
      user_id: buyer,
      idempotency_key: `key-${keys++}`,
      request_hash: "hash",
      items: [
        ...line("ticket", shop.general, general),
        ...line("ticket", shop.vip, vip),
        ...line("parking", shop.parking, parking),
      ],
      attendees: Array.from({ length: general + vip }, () => ({ name: "Guest", email: "guest@people.test" })),
      buyer: { name: "Buyer", email: "buyer@people.test", phone: "713-555-0100" },
      total_cents: general * GENERAL.cents + vip * VIP.cents + parking * PARKING.cents,
    };
  }

  function reserve() {
    const batch = new Map<string, Cart>();
    for (let count = 1 + random.below(8); count > 0; count--) {
      const buyer = random.pick(shop.buyers)!;
      const cart = (random.chance(0.25) && lastCart.get(buyer)) || cartOf(buyer);
      lastCart.set(buyer, cart);
      batch.set(buyer, cart);
    }
    return {
      statements: [
        statement("select public.reserve_orders($1) as answers", JSON.stringify([...batch.values()])),
      ],
      done: ([row]: { answers?: Answer[] }[]) => {
        for (const answer of row!.answers!) {
          if (!answer.ok) continue;
          acknowledged.add(answer.order_id);
          const intent = provider.intentFor(answer.order_id, answer.total_cents);
          if (random.chance(0.7)) provider.pay(intent);
        }
      },
    };
  }

  async function drain() {
    const { rows } = await monitor.query("select * from public.claim_outbox(10)");
    for (const { id, kind, payload } of rows) {
      const intent =
        payload.order_id && provider.intentFor(payload.order_id, payload.total_cents ?? payload.cents ?? 0);
      if (kind === "cancel_intent" && provider.close(intent) === "succeeded") {
        await monitor.query("select public.confirm_order($1, $2, $3)", [
          intent.orderId,
          intent.id,
          intent.cents,
        ]);
      } else if (kind === "refund") {
        provider.refund(intent, payload.refund_id, payload.cents);
        await monitor.query("select public.mark_refund($1, $2, 'succeeded')", [
          payload.refund_id,
          `re_${payload.refund_id}`,
        ]);
      }
      await monitor.query("select public.complete_outbox($1)", [id]);
    }
    return rows.length;
  }

  const somebody = () => random.pick(intents());
  function nextWork() {
    const dice = random.below(100);
    const intent = somebody();
    if (dice < 35 || !intent) return reserve();
    if (dice < 65) {
      const paid = random.pick(intents("succeeded"));
      return paid ? { statements: [confirming(paid)], done: nothing } : reserve();
    }
    if (dice < 72) {
      return {
        statements: [statement("select public.fail_payment($1, $2, 'declined')", intent.orderId, intent.id)],
        done: nothing,
      };
    }
    if (dice < 86) {
      // As the job does it: the provider is asked first.
      if (provider.close(intent) === "succeeded") return { statements: [confirming(intent)], done: nothing };
      return {
        statements: [
          statement(
            "update public.orders set hold_expires_at = now() where id = $1 and status = 'pending'",
            intent.orderId,
          ),
          statement("select public.expire_holds(array[$1::uuid])", intent.orderId),
        ],
        done: nothing,
      };
    }
    if (dice < 93) {
      return {
        statements: [
          statement(
            "select set_config('request.jwt.claims', json_build_object('sub', user_id)::text, true) from public.orders where id = $1",
            intent.orderId,
          ),
          statement("select public.release_hold($1)", intent.orderId),
        ],
        done: nothing,
      };
    }
    return {
      statements: [
        asUser(shop.admin),
        statement(
          "select public.refund_order(id) from public.orders where id = $1 and status = 'confirmed' and payment_intent_id is not null",
          intent.orderId,
        ),
      ],
      done: nothing,
    };
  }

  const endings = ["told", "told", "told", "told", "lost", "aborted"] as const;
  const finish = async (lane: number, how: (typeof endings)[number]) => {
    try {
      await lanes.end(lane, how);
    } catch (error) {
      // The order was refunded by another hand while this one waited for it: the one refusal that is right.
      if ((error as { code?: string }).code !== "23514" || !/paid order/.test((error as Error).message))
        throw error;
    }
  };
  for (let step = 0; step < STEPS; step++) {
    const lane = random.below(lanes.count);
    if (lanes.busy(lane)) await finish(lane, random.pick(endings)!);
    else await lanes.begin(lane, nextWork());
    const open = Array.from({ length: lanes.count }, (_, index) => index).filter((index) =>
      lanes.busy(index),
    );
    if (random.chance(0.05) && open.length === 0) await drain();
  }
  while (Array.from({ length: lanes.count }, (_, index) => index).some((index) => lanes.busy(index))) {
    for (let lane = 0; lane < lanes.count; lane++) await finish(lane, "told");
  }

  const faults = await faultsInBooks(monitor, false);
  // The reconcile job and the expiry job have their way, then the last tickets are sold one by one.
  const reconciled = new Set<Intent>();
  const settle = async () => {
    const paid = intents("succeeded").filter((intent) => !reconciled.has(intent));
    for (const intent of paid) reconciled.add(intent);
    await monitor.query(
      "select public.confirm_order(o, p, c) from unnest($1::uuid[], $2::text[], $3::integer[]) as u (o, p, c)",
      [paid.map(({ orderId }) => orderId), paid.map(({ id }) => id), paid.map(({ cents }) => cents)],
    );
    const { rows } = await monitor.query(
      "select id, (total_amount * 100)::integer as cents from public.orders where status = 'pending'",
    );
    const unpaid = rows
      .filter(({ id, cents }) => provider.close(provider.intentFor(id, cents)) === "canceled")
      .map(({ id }) => id);
    await monitor.query("update public.orders set hold_expires_at = now() where id = any ($1::uuid[])", [
      unpaid,
    ]);
    await monitor.query("select public.expire_holds($1::uuid[])", [unpaid]);
    while ((await drain()) > 0);
  };
  await settle();
  for (const kind of ["general", "vip"] as const) {
    for (let sold = true, buyer = 0; sold; buyer++) {
      const batch = shop.buyers
        .slice(0, 16)
        .map((id) => cartOf(id, { general: 0, vip: 0, parking: 0, [kind]: 1 }));
      const { rows } = await monitor.query("select public.reserve_orders($1) as answers", [
        JSON.stringify(batch),
      ]);
      const placed = (rows[0].answers as Answer[]).filter((answer) => answer.ok);
      for (const { order_id, total_cents } of placed) provider.pay(provider.intentFor(order_id, total_cents));
      await settle();
      sold = placed.length > 0;
    }
  }
  faults.push(...(await faultsInBooks(monitor, true)));

  const { rows: left } = await monitor.query(
    `select name from public.ticket_types where current_inventory > 0 and not (name ilike '%vip%'
      and exists (select from public.parking_passes where type_name ilike '%general%' and current_inventory = 0))`,
  );
  if (left.length > 0) faults.push(`not sold out: ${left[0].name}`);
  const { rows: known } = await monitor.query(
    "select id::text, status, payment_intent_id from public.orders",
  );
  const orders = new Map(known.map((order) => [order.id, order]));
  for (const id of acknowledged) if (!orders.has(id)) faults.push(`an acknowledged order is gone: ${id}`);
  for (const intent of intents("succeeded")) {
    const kept = intent.cents - [...intent.refunds.values()].reduce((sum, cents) => sum + cents, 0);
    const order = orders.get(intent.orderId);
    const valid = order?.status === "confirmed" && order.payment_intent_id === intent.id;
    if (kept !== (valid ? intent.cents : 0))
      faults.push(`the provider keeps ${kept} of ${intent.id}, order ${order?.status}`);
  }
  return faults;
}
