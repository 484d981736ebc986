// A fee that the organizer sets: what is added to an order, what is returned with its tickets, and that it stays separate
// from revenue.
import { feeCents } from "contract/shop/sale";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { cartOf, type CatalogItem } from "../../../../shop/testing/cart.ts";
import { pay, place } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();

interface Setting {
  percent?: number;
  per_ticket?: number;
  per_order?: number;
  is_refunded?: boolean;
}
const setFee = ({ percent = 0, per_ticket = 0, per_order = 0, is_refunded = true }: Setting) =>
  world.sql(
    `update public.shop_settings set fee_name = 'Booking fee', fee_percent = $1, fee_per_ticket = $2, fee_per_order = $3,
       fee_is_refunded = $4`,
    percent,
    per_ticket,
    per_order,
    is_refunded,
  );
afterEach(() => setFee({}));

const money = async () => {
  const [row] = await world.sql(
    `select (select coalesce(sum(revenue), 0) from public.sales_totals())::float as revenue,
      (select coalesce(sum(fee_amount - fee_refunded), 0) from public.orders where confirmed_at is not null)::float as fees`,
  );
  return row as { revenue: number; fees: number };
};

async function bought(total: number, ...lines: readonly (readonly [CatalogItem, number])[]) {
  const user = await world.newUser();
  const placed = await place(world, user, { ...cartOf(...lines), totalAmount: total });
  await pay(world, placed);
  await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
  const tickets = await world.sql<{ id: string }>(
    "select id from public.tickets where order_id = $1 order by position",
    placed.orderId,
  );
  const takeBack = async (ids: readonly string[] | null): Promise<number> =>
    (await world.sql("select public.take_back($1, $2, null) as taken", placed.orderId, ids))[0]!.taken
      .refunded_cents;
  return { user, placed, tickets: tickets.map(({ id }) => id), takeBack };
}

it("is nothing, and no line, until the organizer sets one", async () => {
  const { placed } = await bought(45, [shop.general, 1]);
  const [row] = await world.sql(
    "select fee_amount::float, fee_name, total_amount::float from public.orders where id = $1",
    placed.orderId,
  );
  expect(row).toEqual({ fee_amount: 0, fee_name: null, total_amount: 45 });
});

it("comes to the same cents in SQL and on the page", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 5000 }),
      fc.integer({ min: 0, max: 999 }),
      fc.integer({ min: 0, max: 999 }),
      fc.integer({ min: 0, max: 100_000_000 }),
      fc.integer({ min: 0, max: 500 }),
      async (percent, perTicket, perOrder, cents, tickets) => {
        const fee = { percent: percent / 100, per_ticket: perTicket / 100, per_order: perOrder / 100 };
        await setFee(fee);
        const [row] = await world.sql<{ cents: string }>(
          "select public.fee_cents(s, $1, $2) as cents from public.shop_settings s",
          cents,
          tickets,
        );
        expect(feeCents({ ...fee, name: "x", is_refunded: true, in_prices: true }, cents, tickets)).toBe(
          Number(row!.cents),
        );
      },
    ),
    { numRuns: 40 },
  );
});

describe("an order with a fee", () => {
  it("is charged with it by the provider, and shows it separately in mail and books", async () => {
    await setFee({ percent: 8.25, per_ticket: 1.5, per_order: 0.99 });
    const before = await money();
    await world.functions.invoke("drain-outbox");
    world.mails.length = 0;
    // 8.25 % of $115.00 is $9.4875.
    const { placed } = await bought(115 + 9.49 + 3 + 0.99, [shop.general, 2], [shop.parking, 1]);
    const intent = await world.stripe.paymentIntents.retrieve(placed.paymentIntentId);
    expect(intent).toMatchObject({ amount: 12_848, status: "succeeded" });
    const after = await money();
    expect(after.revenue - before.revenue).toBeCloseTo(115);
    expect(after.fees - before.fees).toBeCloseTo(13.48);
    await world.functions.invoke("drain-outbox");
    const mail = world.mails.find(({ subject }) => subject.startsWith("Your tickets"))!;
    expect(mail.text).toContain("Booking fee: $13.48");
    expect(mail.text).toContain("Total paid: $128.48");
  });

  it("is refused at a total without the fee, and placed at the right one", async () => {
    await setFee({ per_order: 2 });
    const answer = await world.call("create-payment-intent", {
      as: await world.newUser(),
      body: cartOf([shop.general, 1]),
    });
    expect(answer).toMatchObject({
      status: 409,
      body: { error: { code: "price_changed", details: { total_cents: 4700 } } },
    });
  });

  it("charges it on the amount after a promo code, and none when that is nothing", async () => {
    await setFee({ percent: 10, per_order: 1 });
    await world.sql(
      "insert into public.promo_codes (code, percent_off) values ('HALF', 50), ('ALL', 100) on conflict do nothing",
    );
    const user = await world.newUser();
    await place(world, user, { ...cartOf([shop.general, 2]), promoCode: "half", totalAmount: 45 + 4.5 + 1 });
    await place(world, user, { ...cartOf([shop.general, 2]), promoCode: "all", totalAmount: 0 });
  });

  it("keeps the fee it was placed with, name and rule, whatever is set later", async () => {
    await setFee({ per_order: 3 });
    const { placed, takeBack } = await bought(48, [shop.general, 1]);
    await setFee({ per_order: 9, is_refunded: false });
    const [row] = await world.sql(
      "select fee_amount::float, fee_name from public.orders where id = $1",
      placed.orderId,
    );
    expect(row).toEqual({ fee_amount: 3, fee_name: "Booking fee" });
    expect(await takeBack(null)).toBe(4800);
  });
});

describe("a fee that is kept", () => {
  it("is no longer counted when the provider returns it after the order has ended", async () => {
    await setFee({ per_order: 4.81, is_refunded: false });
    const before = await money();
    const { placed, takeBack } = await bought(49.81, [shop.general, 1]);
    expect(await takeBack(null)).toBe(4500);
    expect((await money()).fees - before.fees).toBeCloseTo(4.81);
    const returned = (id: string, amount: number) =>
      world.webhook("refund.created", {
        id,
        object: "refund",
        payment_intent: placed.paymentIntentId,
        amount,
        status: "succeeded",
        metadata: {},
      });
    await returned("re_fee_1", 1);
    await returned("re_fee_1", 1);
    expect((await money()).fees - before.fees).toBeCloseTo(4.8);
    await returned("re_fee_2", 480);
    expect(await money()).toEqual(before);
  });
});

describe("a refund", () => {
  it("returns the fee in proportion, and the rest of it with the last ticket, to the cent", async () => {
    await setFee({ per_order: 1 });
    const before = await money();
    const { placed, tickets, takeBack } = await bought(136, [shop.general, 3]);
    expect(await takeBack([tickets[0]!])).toBe(4533);
    expect((await money()).fees - before.fees).toBeCloseTo(0.67);
    expect(await takeBack([tickets[1]!])).toBe(4533);
    expect(await takeBack([tickets[2]!])).toBe(13_600 - 2 * 4533);
    expect(await money()).toEqual(before);
    const [{ fees }] = (await world.sql(
      "select sum(fee)::float as fees from public.refunds where order_id = $1",
      placed.orderId,
    )) as [{ fees: number }];
    expect(fees).toBeCloseTo(1);
    await world.functions.invoke("drain-outbox");
    expect(world.mails.some(({ text }) => text.includes("Booking fee: $0.33"))).toBe(true);
  });

  it("keeps the fee if the organizer set it so, even when the whole order is refunded", async () => {
    await setFee({ per_ticket: 2, is_refunded: false });
    const before = await money();
    const { placed, tickets, takeBack } = await bought(94, [shop.general, 2]);
    expect(await takeBack([tickets[0]!])).toBe(4500);
    expect(await takeBack([tickets[1]!])).toBe(4500);
    const after = await money();
    expect(after.revenue).toBeCloseTo(before.revenue);
    expect(after.fees - before.fees).toBeCloseTo(4);
    await world.functions.invoke("drain-outbox");
    const { data } = await world.stripe.charges.list({ payment_intent: placed.paymentIntentId });
    expect(data[0]?.amount_refunded).toBe(9000);
  });

  it("by the provider itself returns a kept fee too", async () => {
    await setFee({ per_order: 5, is_refunded: false });
    const before = await money();
    const { placed } = await bought(50, [shop.general, 1]);
    await world.sql(
      "select public.record_provider_refund($1, 're_whole', 5000, 'succeeded', 'refunded_at_provider')",
      placed.paymentIntentId,
    );
    expect(await money()).toEqual(before);
  });
});

it("returns the fee with a free amount, once the items' money is returned", async () => {
  await setFee({ per_ticket: 5 });
  const before = await money();
  const { placed, user } = await bought(100, [shop.general, 2]);
  await world.sql(
    "insert into public.user_roles (user_id, role) values ($1, 'admin') on conflict do nothing",
    user,
  );
  const refund = (cents: number, left: number) =>
    world.db.database.transaction({ claims: { role: "authenticated", sub: user }, headers: {} }, (tx) =>
      tx.query("select public.refund_amount(gen_random_uuid(), $1, $2, 'goodwill', null, $3)", [
        placed.orderId,
        cents,
        left,
      ]),
    );
  await refund(9400, 10_000);
  expect(await money()).toEqual({ revenue: before.revenue, fees: before.fees + 6 });
  await expect(refund(601, 600)).rejects.toThrow("Only $6.00 of this payment is left to refund.");
  await refund(600, 600);
  expect(await money()).toEqual(before);
});
