// The provider's events arrive ten times each, in any order, days late, and mixed with forgeries: nothing counts twice,
// nothing is lost, and no forgery is believed.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cartOf } from "../../shop/testing/cart.ts";
import { createRandom } from "../simulator/random.ts";
import { times } from "./counts.ts";
import { openFaultyShop, type FaultyShop } from "./shop.ts";
import { shop as buy, type Promised } from "./shopper.ts";

let shop: FaultyShop;
beforeAll(async () => {
  shop = await openFaultyShop();
});
afterAll(() => shop?.close());

const random = createRandom(3);
const patience = { attempts: 1, pause: () => sleep(1) };
const ORDERS = 12 * times;

/** Pays and leaves: only the webhook knows. */
async function payAndLeave(cards: readonly string[] = ["pm_card_visa"]): Promise<Promised> {
  const cart = cartOf([shop.catalog.general, 1 + random.below(2)]);
  return buy(await shop.door(), { key: "a-buyers-key", cart, cards, leaves: "payment" }, patience);
}

const bodies = async (type?: string) =>
  (
    await shop.world.sql<{ body: Record<string, unknown> }>(
      "select body from payments_sandbox.objects where kind = 'event' and ($1::text is null or body ->> 'type' = $1) order by position",
      type ?? null,
    )
  ).map(({ body }) => body);

interface Signing {
  readonly secret?: string;
  /** Signed as of this time, in seconds. */
  readonly timestamp?: number;
  readonly signature?: string;
}

async function post(payload: string, signing: Signing = {}): Promise<number> {
  const { secret = "whsec_test", timestamp, signature } = signing;
  const header =
    signature ??
    (await shop.world.stripe.webhooks.generateTestHeaderStringAsync({
      payload,
      secret,
      ...(timestamp && { timestamp }),
    }));
  const headers = { "stripe-signature": header };
  return (await shop.world.call("stripe-webhook", { body: payload, headers })).status;
}

const statuses = async (orders: readonly Promised[]) =>
  (
    await shop.world.sql<{ status: string; tickets: number; mails: number }>(
      `select o.status, (select count(*)::int from public.tickets t where t.order_id = o.id) as tickets,
         (select count(*)::int from public.outbox x where x.kind = 'order_mail' and x.payload ->> 'order_id' = o.id::text) as mails
       from public.orders o where id = any ($1)`,
      orders.map(({ orderId }) => orderId),
    )
  ).map(({ status, tickets, mails }) => ({ status, tickets: tickets > 0, mails }));

describe("events of the provider", () => {
  it(
    "count once, even if each arrives ten times and in random order",
    { timeout: 60_000 * times },
    async () => {
      const orders: Promised[] = [];
      for (let index = 0; index < ORDERS; index++)
        orders.push(
          await payAndLeave(index % 3 === 0 ? ["pm_card_chargeDeclined", "pm_card_visa"] : undefined),
        );
      const events = (await bodies()).flatMap((body) =>
        Array.from({ length: 10 }, () => JSON.stringify(body)),
      );
      const mixed = events
        .map((event) => ({ event, at: random.below(1_000_000) }))
        .sort((one, other) => one.at - other.at);
      const answers = await Promise.all(mixed.map(({ event }) => post(event)));
      expect(new Set(answers)).toEqual(new Set([200]));
      expect(await statuses(orders)).toEqual(
        orders.map(() => ({ status: "confirmed", tickets: true, mails: 1 })),
      );
      expect(await shop.faults()).toEqual([]);
    },
  );

  it("about refunds count once as well", async () => {
    const orders = [await payAndLeave(), await payAndLeave(), await payAndLeave()];
    for (const body of await bodies("payment_intent.succeeded")) await post(JSON.stringify(body));
    for (const { orderId } of orders) expect(await shop.refund(orderId!)).toBeUndefined();
    await shop.world.call("drain-outbox", { as: "service" });
    const notices = [...(await bodies("charge.refunded")), ...(await bodies("refund.updated"))];
    await Promise.all(
      notices.flatMap((body) => Array.from({ length: 10 }, () => post(JSON.stringify(body)))),
    );
    const refunds = await shop.world.sql(
      "select status, count(*)::int as times from public.refunds where order_id = any ($1) group by order_id, status",
      orders.map(({ orderId }) => orderId),
    );
    expect(refunds).toEqual(orders.map(() => ({ status: "succeeded", times: 1 })));
    expect(await shop.faults()).toEqual([]);
  });

  it.each([
    { left: "are still tickets", stock: 100, ends: "confirmed" },
    { left: "is none left", stock: 0, ends: "cancelled" },
  ])("days late, when there $left, end in tickets or a refund", async ({ stock, ends }) => {
    const late = [await payAndLeave(), await payAndLeave(), await payAndLeave()];
    const ids = late.map(({ orderId }) => orderId);
    // Three days ago: every job has run since, but none of them learned of the payment.
    await shop.world.sql(
      `update public.orders set created_at = now() - interval '3 days', hold_expires_at = now() - interval '3 days'
       where id = any ($1)`,
      ids,
    );
    await shop.world.sql("select public.expire_holds($1)", ids);
    await shop.world.sql(
      "update public.ticket_types set current_inventory = $2 where id = $1",
      shop.catalog.general.id,
      stock,
    );
    const events = (await bodies("payment_intent.succeeded")).map((body) => JSON.stringify(body));
    await Promise.all(events.flatMap((event) => [post(event), post(event)]));
    expect((await statuses(late)).map(({ status }) => status)).toEqual(late.map(() => ends));
    const refunds = await shop.world.sql("select id from public.refunds where order_id = any ($1)", ids);
    expect(refunds).toHaveLength(ends === "cancelled" ? late.length : 0);
    await shop.world.sql(
      "update public.ticket_types set current_inventory = total_inventory - sold - held where id = $1",
      shop.catalog.general.id,
    );
    expect(await shop.faults()).toEqual([]);
  });

  it("are believed only with our provider's own fresh signature", async () => {
    const order = await payAndLeave();
    const [body] = (await bodies("payment_intent.succeeded")).slice(-1);
    const payload = JSON.stringify(body);
    const now = Math.floor(Date.now() / 1000);
    const other = JSON.stringify({ ...body, created: 1 });
    const forged: readonly [string, string, Signing][] = [
      ["no signature", payload, { signature: "" }],
      ["nonsense", payload, { signature: `t=${now},v1=${"0".repeat(64)}` }],
      ["another secret", payload, { secret: "whsec_other" }],
      ["an empty secret", payload, { secret: " " }],
      ["a signature that is an hour old", payload, { timestamp: now - 3600 }],
      ["another body's signature", payload, { signature: await signatureOf(other) }],
      [
        "a changed timestamp",
        payload,
        { signature: (await signatureOf(payload)).replace(/t=\d+/, `t=${now - 1}`) },
      ],
      ["an older scheme", payload, { signature: (await signatureOf(payload)).replace("v1=", "v0=") }],
    ];
    for (const [why, text, signing] of forged) expect(await post(text, signing), why).toBe(400);
    expect((await statuses([order]))[0]!.status).toBe("pending");
    expect(await post(payload)).toBe(200);
    expect((await statuses([order]))[0]!.status).toBe("confirmed");
  });
});

const signatureOf = (payload: string) =>
  shop.world.stripe.webhooks.generateTestHeaderStringAsync({ payload, secret: "whsec_test" });
