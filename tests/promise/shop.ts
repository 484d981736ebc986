// The tests' shop with everything a purchase needs, called in process: endpoints for buyers, an administrator, and a
// provider whose webhooks get lost, duplicated and reordered.
import { randomUUID } from "node:crypto";
import { readCatalog } from "../../shop/testing/carts.ts";
import { openWorld, type World } from "../../shop/testing/world.ts";
import { faultsInBooks } from "../simulator/books.ts";
import type { Random } from "../simulator/random.ts";
import { faultsAtProvider } from "./provider-books.ts";
import { bringToRest } from "./rest.ts";
import type { Answer, ShopClient } from "./shopper.ts";

export interface FaultyShop {
  readonly world: World;
  readonly catalog: Awaited<ReturnType<typeof readCatalog>>;
  /** A new buyer's calls. */
  door(address?: string): Promise<ShopClient & { readonly user: string }>;
  /**
   * As the administrator's screen does. Returns the error's message when SQL refuses. Without tickets, refunds the whole
   * order.
   */
  refund(orderId: string, tickets?: readonly string[]): Promise<string | undefined>;
  /** The rows of the administrator's file of orders. */
  exportedOrders(): Promise<readonly { id: string; paid: number; refunded: number }[]>;
  /** Delivers the pending events, drops some and sends some twice. Returns how many arrived. */
  deliver(random: Random, loss: number): Promise<number>;
  /** Drops the pending events: they are never delivered. */
  loseWebhooks(): Promise<void>;
  /** Brings everything to rest, and returns what does not add up. */
  faults(): Promise<string[]>;
  close(): Promise<void>;
}

export async function openFaultyShop(): Promise<FaultyShop> {
  const world = await openWorld();
  const catalog = await readCatalog(world);
  const admin = await world.newUser();
  await world.sql("insert into public.user_roles (user_id, role) values ($1, 'admin')", admin);
  // The buyers here are many and quick, and limits are not what is tested.
  await world.sql("update public.shop_settings set max_orders_per_address = 1000000, address_hold_share = 1");

  const unanswered = (error: unknown): Answer => ({ status: 0, body: { error: { message: String(error) } } });

  async function send(event: { id: string; event: object }): Promise<boolean> {
    const payload = JSON.stringify(event.event);
    const signature = await world.stripe.webhooks.generateTestHeaderStringAsync({
      payload,
      secret: "whsec_test",
    });
    const { status } = await world.call("stripe-webhook", {
      body: payload,
      headers: { "stripe-signature": signature },
    });
    if (status !== 200) return false;
    await world.sql(
      "update payments_sandbox.deliveries set next_attempt_at = null, delivered_at = now() where event_id = $1",
      event.id,
    );
    return true;
  }

  async function deliver(random: Random, loss: number): Promise<number> {
    const waiting = await world.sql<{ id: string; event: object }>(
      `select o.id, o.body as event from payments_sandbox.deliveries d join payments_sandbox.objects o on o.id = d.event_id
       where d.next_attempt_at is not null order by o.position`,
    );
    const sent = waiting.filter(() => !random.chance(loss));
    const doubled = sent.filter(() => random.chance(0.3));
    const mixed = [...sent, ...doubled].map((event) => ({ event, at: random.below(1_000_000) }));
    const arrived = await Promise.all(
      mixed.sort((one, other) => one.at - other.at).map(({ event }) => send(event)),
    );
    return arrived.filter(Boolean).length;
  }

  const sql = (text: string) => world.sql(text);

  async function asAdmin<T>(call: string, ...values: unknown[]): Promise<T> {
    const claims = JSON.stringify({ sub: admin, role: "authenticated" });
    const [row] = await world.sql<{ answer: T }>(
      `select public.${call} as answer from (select set_config('request.jwt.claims', $${values.length + 1}, true) offset 0) as asking`,
      ...values,
      claims,
    );
    return row!.answer;
  }

  return {
    world,
    catalog,
    async door(address = "192.0.2.1") {
      const user = await world.newUser();
      return {
        user,
        call: (name, body, key = randomUUID()) =>
          world
            .call(name, { as: user, body, ip: address, headers: { "idempotency-key": key } })
            .catch(unanswered),
        async provider(path, form) {
          try {
            const answer = await world.sandbox.fetch(
              new Request(`http://shop.test/v1/${path}`, {
                method: "POST",
                headers: { authorization: "Bearer pk_test_sandbox_functions" },
                body: new URLSearchParams(form),
              }),
            );
            return { status: answer.status, body: JSON.parse(await answer.text()) };
          } catch (error) {
            return unanswered(error);
          }
        },
      };
    },
    async refund(orderId, tickets) {
      try {
        await asAdmin("refund_order($1, $2)", orderId, tickets);
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    },
    exportedOrders: () => asAdmin("list_orders_with_money()"),
    deliver,
    async loseWebhooks() {
      await world.sql("update payments_sandbox.deliveries set next_attempt_at = null");
    },
    async faults() {
      const calm: Random = { below: () => 0, chance: () => false, pick: (list) => list[0] };
      const stuck = await bringToRest({
        sql,
        job: async (name) => (await world.call(name, { as: "service" })).status === 200,
        deliver: async () => void (await deliver(calm, 0)),
      });
      return [...stuck, ...(await faultsInBooks(sql, true)), ...(await faultsAtProvider(sql))];
    },
    close: () => world.close(),
  };
}
