// Tickets that cost nothing, through the calls a buyer makes: ordered and confirmed without a card or a code, within every limit,
// alone or beside what is paid, and taken back without a refund.
import { beforeAll, describe, expect, it } from "vitest";
import { cartOf, type CatalogItem } from "../../../../shop/testing/cart.ts";
import { pay, place, statusOf } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();

let child: CatalogItem;
beforeAll(async () => {
  child = await newType("Child", 0);
});

async function newType(name: string, price: number): Promise<CatalogItem> {
  const [row] = await world.sql<{ id: string }>(
    `insert into public.ticket_types (name, price, current_inventory, total_inventory) values ($1, $2, 200, 200) returning id`,
    name,
    price,
  );
  return { id: row!.id, name, price, type: "ticket" };
}

const order = (as: string, body: object, ip = "192.0.2.9") =>
  world.call("create-payment-intent", { as, body, ip });
const confirm = (as: string, orderId: string) => world.call("process-payment", { as, body: { orderId } });
const takeBack = async (orderId: string, tickets: readonly string[] | null) =>
  (await world.sql("select public.take_back($1, $2, null) as taken", orderId, tickets))[0]!.taken;
const ticketsOf = async (orderId: string, type: CatalogItem) =>
  (
    await world.sql<{ id: string }>(
      "select id from public.tickets where order_id = $1 and ticket_type_id = $2 order by position",
      orderId,
      type.id,
    )
  ).map(({ id }) => id);
const stockOf = async ({ id }: CatalogItem) =>
  (
    await world.sql("select current_inventory as left, held, sold from public.ticket_types where id = $1", id)
  )[0];
async function mailsOf(orderId: string) {
  world.mails.length = 0;
  await world.functions.invoke("drain-outbox");
  return world.mails.filter(({ text }) => text.includes(orderId.slice(0, 8)));
}

describe("an order of free tickets", () => {
  it("is confirmed by its buyer, without a code, a card, a fee or a payment", async () => {
    await world.sql("update public.shop_settings set fee_per_order = 2, fee_per_ticket = 1");
    const user = await world.newUser();
    world.sandbox.injectFault({ kind: "refused", status: 503 });
    const placed = await order(user, cartOf([child, 2]));
    expect(placed).toMatchObject({
      status: 200,
      body: { clientSecret: null, paymentIntentId: null, totalAmount: 0, orderStatus: "pending" },
    });
    const { orderId } = placed.body;
    expect(await stockOf(child)).toEqual({ left: 198, held: 2, sold: 0 });
    expect(await confirm(await world.newUser(), orderId)).toMatchObject({ status: 404 });
    expect(await confirm(user, orderId)).toMatchObject({ status: 200, body: { status: "confirmed" } });
    expect(await confirm(user, orderId)).toMatchObject({ body: { status: "already_confirmed" } });
    world.sandbox.clearFaults();
    await world.sql("update public.shop_settings set fee_per_order = 0, fee_per_ticket = 0");
    expect(await stockOf(child)).toEqual({ left: 198, held: 0, sold: 2 });
    expect(await world.sql("select * from public.payments where order_id = $1", orderId)).toEqual([]);

    const [mail] = await mailsOf(orderId);
    expect(mail!.text).toContain("There is nothing to pay");
    expect(mail!.text).toContain("2 x Child: $0.00");
    expect(mail!.text).toContain("Total paid: $0.00");

    expect(await takeBack(orderId, null)).toMatchObject({ refunded_cents: 0 });
    expect(await statusOf(world, orderId)).toBe("cancelled");
    expect(await stockOf(child)).toEqual({ left: 200, held: 0, sold: 0 });
    expect(await world.sql("select * from public.refunds where order_id = $1", orderId)).toEqual([]);
  });

  it("is taken back once, however often one attempt is sent", async () => {
    const admin = await world.newUser();
    await world.sql("insert into public.user_roles (user_id, role) values ($1, 'admin')", admin);
    const user = await world.newUser();
    const { orderId } = (await order(user, cartOf([child, 2]))).body;
    await confirm(user, orderId);
    const [first] = await ticketsOf(orderId, child);
    const caller = { claims: { role: "authenticated", sub: admin }, headers: {} };
    const refund = async (key: string, tickets: string[] | null) => {
      const text = "select public.refund_order($1, $2, p_key => $3) as answer";
      const { rows } = await world.db.database.run(caller, { text, values: [orderId, tickets, key] });
      return (rows[0] as { answer: unknown }).answer;
    };
    for (const [tickets, status] of [
      [[first!], "confirmed"],
      [null, "cancelled"],
    ] as const) {
      const key = crypto.randomUUID();
      const attempt = () => refund(key, tickets && [...tickets]);
      expect(await Promise.all([attempt(), attempt()])).toEqual(
        Array.from({ length: 2 }, () => ({ refunded_cents: 0 })),
      );
      expect(await attempt()).toEqual({ refunded_cents: 0 });
      expect(await statusOf(world, orderId)).toBe(status);
    }
    await expect(refund(crypto.randomUUID(), null), "another attempt").rejects.toThrow("Only a paid order");
    expect(await stockOf(child)).toEqual({ left: 200, held: 0, sold: 0 });
  });

  it("includes parking with VIP, and takes free parking", async () => {
    const vip = await newType("Child VIP", 0);
    const free = { ...shop.preferred, price: 0 };
    await world.sql("update public.parking_passes set price = 0 where id = $1", free.id);
    const user = await world.newUser();
    const { orderId } = (await order(user, cartOf([vip, 1], [free, 1]))).body;
    expect(await confirm(user, orderId)).toMatchObject({ body: { status: "confirmed" } });
    const [mail] = await mailsOf(orderId);
    expect(mail!.text).toContain("1 x Preferred Parking: $0.00");
    expect(mail!.text).toContain("1 x General Parking: Included");
    await world.sql(
      "update public.parking_passes set price = $2 where id = $1",
      free.id,
      shop.preferred.price,
    );
  });

  it("is not placed for what is not free, nor kept free once it has a price", async () => {
    const user = await world.newUser();
    const price = (total: number) => ({
      status: 409,
      body: { error: { code: "price_changed", details: { total_cents: total } } },
    });
    const free = { ...cartOf([shop.general, 1], [child, 1]), totalAmount: 0 };
    expect(await order(user, free)).toMatchObject(price(4500));
    await world.sql("update public.ticket_types set price = 0.5 where id = $1", child.id);
    expect(await order(user, cartOf([child, 1]))).toMatchObject(price(50));
    await world.sql("update public.ticket_types set price = 0 where id = $1", child.id);
  });

  it("has nothing for a promo code to take off", async () => {
    await world.sql("insert into public.promo_codes (code, percent_off) values ('HALF', 50)");
    const user = await world.newUser();
    expect(await order(user, { ...cartOf([child, 1]), promoCode: "half" })).toMatchObject({
      status: 409,
      body: { error: { code: "promo_code_refused", details: { reason: "not_applicable" } } },
    });
    expect(
      await order(user, { ...cartOf([child, 2], [shop.general, 1]), promoCode: "half", totalAmount: 22.5 }),
    ).toMatchObject({ status: 200 });
  });
});

describe("beside a paid ticket, a free one", () => {
  it("is taken back alone without a refund, and its holder is mailed", async () => {
    const user = await world.newUser();
    const placed = await place(world, user, cartOf([child, 1], [shop.general, 1]));
    const intent = await world.stripe.paymentIntents.retrieve(placed.paymentIntentId);
    expect(intent.amount).toBe(4500);
    await pay(world, placed);
    await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
    await mailsOf(placed.orderId);

    const free = await ticketsOf(placed.orderId, child);
    expect(await takeBack(placed.orderId, free)).toMatchObject({ refunded_cents: 0 });
    expect(await statusOf(world, placed.orderId)).toBe("confirmed");
    world.mails.length = 0;
    await world.functions.invoke("drain-outbox");
    expect(world.mails.map(({ to, subject }) => [to, subject])).toEqual([
      ["buyer@people.test", expect.stringMatching(/ticket for .* is no longer valid/)],
    ]);

    expect(await takeBack(placed.orderId, null)).toMatchObject({ refunded_cents: 4500 });
    const [refund] = await mailsOf(placed.orderId);
    expect(refund!.text).toContain("1 x General Admission: $45.00");
  });

  it("is listed at $0.00 in the refund of both", async () => {
    const user = await world.newUser();
    const placed = await place(world, user, cartOf([child, 1], [shop.vip, 1]));
    await pay(world, placed);
    await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
    await mailsOf(placed.orderId);
    await takeBack(placed.orderId, null);
    const mails = await mailsOf(placed.orderId);
    const refund = mails.find(({ subject }) => subject.startsWith("Your refund"))!;
    expect(refund.text).toContain("1 x Child: $0.00");
    expect(refund.text).toContain("1 x General Parking: Included");
  });
});

describe("free tickets count toward the limit of", () => {
  it("tickets per buyer", async () => {
    const user = await world.newUser();
    const { orderId } = (await order(user, cartOf([child, 19]))).body;
    await confirm(user, orderId);
    expect(await order(user, cartOf([child, 2]))).toMatchObject({
      status: 409,
      body: { error: { code: "too_many_units", details: { limit: 20, owned: 19 } } },
    });
    expect((await order(user, cartOf([child, 1]))).status).toBe(200);
  });

  it("orders a minute", async () => {
    const user = await world.newUser();
    for (let count = 0; count < 5; count++) expect((await order(user, cartOf([child, 1]))).status).toBe(200);
    expect(await order(user, cartOf([child, 1]))).toMatchObject({ status: 429 });
  });

  it("unpaid tickets per address: confirming them earns no room for more", async () => {
    await world.sql("update public.shop_settings set address_hold_share = 0.0001");
    const ip = "203.0.113.80";
    const [claimer, holder, other] = [await world.newUser(), await world.newUser(), await world.newUser()];
    const { orderId } = (await order(claimer, cartOf([child, 20]), ip)).body;
    expect(await order(holder, cartOf([shop.general, 20]), ip)).toMatchObject({ status: 429 });
    await confirm(claimer, orderId);
    expect((await order(holder, cartOf([shop.general, 20]), ip)).status).toBe(200);
    expect(await order(other, cartOf([shop.general, 1]), ip)).toMatchObject({
      status: 429,
      body: { error: { code: "rate_limited" } },
    });
    await world.sql("update public.shop_settings set address_hold_share = 0.05");
  });
});
