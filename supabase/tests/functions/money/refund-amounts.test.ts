// Refunds of money alone, and of tickets after them: what each order item returned, to the cent, and what the provider
// refuses.
import { describe, expect, it } from "vitest";
import { cartOf, type CatalogItem } from "../../../../shop/testing/cart.ts";
import { pay, place, statusOf } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";
import { faultsInBooks } from "../../../../tests/simulator/books.ts";

const { world, shop } = await openShop();
const admin = await world.newUser();
await world.sql("insert into public.user_roles (user_id, role) values ($1, 'admin')", admin);

const drain = () => world.call("drain-outbox", { as: "service" });
const as = async (user: string, text: string, ...values: unknown[]) =>
  (
    await world.db.database.transaction({ claims: { role: "authenticated", sub: user }, headers: {} }, (tx) =>
      tx.query(text, values),
    )
  ).rows;
const refundAmount = (order: string, cents: number, reason = "goodwill", note: string | null = null) =>
  as(admin, "select public.refund_amount(gen_random_uuid(), $1, $2, $3, $4)", order, cents, reason, note);
const refund = async (order: string, tickets: string[] | null = null, parking: string[] | null = null) =>
  (await as(admin, "select public.refund_order($1, $2, $3) as answer", order, tickets, parking))[0]!.answer
    .refunded_cents as number;

const bought = (...lines: readonly (readonly [CatalogItem, number])[]) => buy(cartOf(...lines));
async function buy(cart: object) {
  const user = await world.newUser();
  const placed = await place(world, user, cart);
  const { latest_charge } = await pay(world, placed);
  await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
  const tickets = await world.sql<{ id: string }>(
    `select t.id from public.tickets t join public.order_items i on i.id = t.order_item_id
     where t.order_id = $1 order by i.position, t.position`,
    placed.orderId,
  );
  return {
    ...placed,
    user,
    charge: String(latest_charge),
    tickets: tickets.map(({ id }) => id),
    givenBack: async () => (await world.stripe.charges.retrieve(String(latest_charge))).amount_refunded,
  };
}
const returned = (order: string) =>
  world.sql<{ name: string; refunded: number; cents: number }>(
    "select name, refunded, (refunded_amount * 100)::integer as cents from public.order_items where order_id = $1 order by position",
    order,
  );
const refundsOf = (order: string) =>
  world.sql<{ id: string; status: string; failure_message: string | null; items: any[] }>(
    "select id, status, failure_message, items from public.refunds where order_id = $1 order by created_at, retry_of nulls first",
    order,
  );
const revenue = async () =>
  Number((await world.sql("select coalesce(sum(revenue), 0) as sum from public.sales_totals()"))[0]!.sum);
const isSound = async () => {
  await drain();
  const read = (text: string) => world.sql(text);
  const faults = await faultsInBooks(read, true);
  // The test makes some refunds fail for good, and only sends the mails when it needs them.
  expect(faults.filter((fault) => !/a refund not given/.test(fault))).toEqual([]);
};
const atProvider = (intent: string, amount: number, status = "succeeded") => ({
  id: `re_elsewhere_${crypto.randomUUID()}`,
  object: "refund",
  payment_intent: intent,
  amount,
  status,
  metadata: {},
});

describe("a free amount", () => {
  it("is distributed over the order to the cent, and no ticket becomes void", async () => {
    const before = await revenue();
    const { orderId, givenBack, tickets } = await bought([shop.general, 2], [shop.vip, 1]);
    await refundAmount(orderId, 1000);
    expect((await returned(orderId)).map(({ refunded, cents }) => [refunded, cents])).toEqual([
      [0, 375],
      [0, 625],
      [0, 0],
    ]);
    expect(await revenue()).toBe(before + 240 - 10);
    await drain();
    expect(await givenBack()).toBe(1000);
    expect(await statusOf(world, orderId)).toBe("confirmed");
    const mail = world.mails.find(
      ({ subject }) => subject === `Your refund for order ${orderId.slice(0, 8)}`,
    )!;
    expect(mail.text).toContain("$10.00");
    expect(mail.text).toContain("stay valid");

    expect(await refund(orderId, [tickets[0]!]), "its share of what is left").toBe(4313);
    expect(await refund(orderId, [tickets[1]!])).toBe(4312);
    expect(await refund(orderId)).toBe(14_375);
    expect(await revenue()).toBe(before);
    await isSound();
    expect(await givenBack()).toBe(24_000);
  });

  it("is never more than what is left, nor less than a cent, and has a reason", async () => {
    const { orderId, user, givenBack } = await bought([shop.general, 1]);
    await refundAmount(orderId, 4000);
    await expect(refundAmount(orderId, 501)).rejects.toThrow("Only $5.00 of this payment is left to refund.");
    for (const cents of [0, -1]) {
      await expect(refundAmount(orderId, cents)).rejects.toThrow("at least one cent");
    }
    await expect(refundAmount(orderId, 1, "because")).rejects.toThrow("one of the reasons");
    await expect(refundAmount(orderId, 1, "other")).rejects.toThrow("Enter a reason (up to 500 characters)");
    await expect(refundAmount(orderId, 1, "other", "x".repeat(501))).rejects.toThrow("500");
    await expect(
      as(user, "select public.refund_amount(gen_random_uuid(), $1, 1, 'goodwill')", orderId),
    ).rejects.toThrow();
    await refundAmount(orderId, 500, "other", "rain");
    expect(await statusOf(world, orderId), "all money, and the ticket is valid").toBe("confirmed");
    await expect(refundAmount(orderId, 1)).rejects.toThrow("Only $0.00");
    expect(await refund(orderId), "nothing is left to return").toBe(0);
    await isSound();
    expect(await givenBack()).toBe(4500);
    expect((await refundsOf(orderId)).flatMap(({ items }) => items.map(({ quantity }) => quantity))).toEqual([
      0, 1,
    ]);
  });

  it("is returned once, however often one attempt is sent, and once if two people try it", async () => {
    const { orderId, givenBack } = await bought([shop.general, 2]);
    const key = crypto.randomUUID();
    const attempt = (cents: number, left: number | null = null, of = key) =>
      as(admin, "select public.refund_amount($1, $2, $3, 'goodwill', null, $4)", of, orderId, cents, left);
    await Promise.all([attempt(1000), attempt(1000), attempt(1000)]);
    await attempt(1000, 9000);
    expect(await refundsOf(orderId)).toHaveLength(1);
    await expect(attempt(500), "another amount").rejects.toMatchObject({ code: "PT409" });
    await expect(attempt(1000, 9000, crypto.randomUUID()), "seen before").rejects.toThrow(
      "$80.00 is left. Check the order again.",
    );
    await attempt(1000, 8000, crypto.randomUUID());
    await drain();
    expect(await givenBack()).toBe(2000);
    const whole = crypto.randomUUID();
    const all = () =>
      as(admin, "select public.refund_order($1, p_key => $2) as answer", orderId, whole) as Promise<object[]>;
    const answers = await Promise.all([all(), all()]);
    expect(answers[0]).toEqual([{ answer: { refunded_cents: 7000 } }]);
    expect(answers[1]).toEqual(answers[0]);
    await isSound();
  });

  it("counts as revenue again when the provider refuses it, until a retry", async () => {
    const before = await revenue();
    const { orderId, givenBack } = await bought([shop.general, 2]);
    await refundAmount(orderId, 1000);
    world.sandbox.injectFault({
      kind: "declined",
      code: "charge_disputed",
      message: "Charge has been charged back; cannot issue a refund.",
      times: 1,
      matches: (request) => request.method === "POST" && new URL(request.url).pathname === "/v1/refunds",
    });
    await drain();
    const [refused] = await refundsOf(orderId);
    expect(refused).toMatchObject({
      status: "failed",
      failure_message: "Charge has been charged back; cannot issue a refund.",
    });
    expect(await revenue()).toBe(before + 90);
    await isSound();
    await as(admin, "select public.retry_refund($1)", refused!.id);
    expect(await revenue()).toBe(before + 80);
    await isSound();
    expect(await givenBack()).toBe(1000);
  });
});

describe("a refund of tickets that failed", () => {
  const refuse = (times = 1) =>
    world.sandbox.injectFault({
      kind: "declined",
      code: "charge_disputed",
      message: "No.",
      times,
      matches: (request) => request.method === "POST" && new URL(request.url).pathname === "/v1/refunds",
    });

  it("is owed: no amount may use its money, and the end of the order returns it", async () => {
    const { orderId, tickets, givenBack } = await bought([shop.general, 2]);
    refuse();
    await refund(orderId, [tickets[0]!]);
    await drain();
    await expect(refundAmount(orderId, 4501)).rejects.toThrow("Only $45.00");
    await isSound();
    expect(await refund(orderId)).toBe(9000);
    await isSound();
    expect(await givenBack()).toBe(9000);
  });

  it("is not owed twice once the order has ended, whichever of the two is retried first", async () => {
    for (const keptFee of [0, 10]) {
      await world.sql("update public.shop_settings set fee_per_order = $1, fee_is_refunded = false", keptFee);
      const { orderId, givenBack } = await buy({
        ...cartOf([shop.general, 2]),
        totalAmount: 90 + keptFee,
      });
      await world.sql("update public.shop_settings set fee_per_order = 0, fee_is_refunded = true");
      refuse();
      await refundAmount(orderId, 1000);
      await drain();
      refuse();
      expect(await refund(orderId)).toBe(9000);
      await drain();
      const [part, whole] = await refundsOf(orderId);
      expect([part!.status, whole!.status]).toEqual(["failed", "failed"]);
      await expect(as(admin, "select public.retry_refund($1)", part!.id)).rejects.toThrow(
        "part of the refund that ended the order",
      );
      await as(admin, "select public.retry_refund($1)", whole!.id);
      await isSound();
      expect(await givenBack()).toBe(9000);
    }
  });

  it("is owed beside the rest if it failed only after the order had ended", async () => {
    const { orderId, givenBack } = await bought([shop.general, 2]);
    await refundAmount(orderId, 1000);
    expect(await refund(orderId)).toBe(8000);
    refuse(2);
    await drain();
    for (const { id, status } of await refundsOf(orderId)) {
      expect(status).toBe("failed");
      await as(admin, "select public.retry_refund($1)", id);
    }
    await isSound();
    expect(await givenBack()).toBe(9000);
  });

  it("is settled by a refund of the same amount in the provider's back office", async () => {
    const { orderId, paymentIntentId, tickets } = await bought([shop.general, 2]);
    refuse();
    await refund(orderId, [tickets[0]!]);
    await drain();
    const [failed] = await refundsOf(orderId);
    await world.webhook("refund.created", atProvider(paymentIntentId, 4500));
    expect(await returned(orderId)).toMatchObject([{ refunded: 1, cents: 4500 }]);
    await expect(as(admin, "select public.retry_refund($1)", failed!.id)).rejects.toThrow(
      "already been refunded",
    );
    await isSound();
  });
});

describe("money that the provider partly returned", () => {
  const voidFor = (refundId: string, tickets: string[], parking: string[] = []) =>
    as(admin, "select public.void_for_refund($1, $2, $3)", refundId, tickets, parking);

  it("lowers revenue at once, and then belongs to the tickets it was for", async () => {
    const before = await revenue();
    const { orderId, paymentIntentId, tickets } = await bought([shop.general, 2], [shop.vip, 1]);
    await world.webhook("refund.created", atProvider(paymentIntentId, 5000));
    expect(await revenue()).toBe(before + 240 - 50);
    const [given] = await refundsOf(orderId);
    await voidFor(given!.id, [tickets[0]!]);
    expect(await revenue()).toBe(before + 190);
    const lines = await returned(orderId);
    expect(lines.map(({ refunded }) => refunded)).toEqual([1, 0, 0]);
    expect(lines.reduce((sum, { cents }) => sum + cents, 0)).toBe(5000);
    const [after] = await refundsOf(orderId);
    expect(after!.items[0]).toMatchObject({ name: "General Admission", quantity: 1 });
    expect(after!.items.reduce((sum, { amount }) => sum + amount * 100, 0)).toBe(5000);
    await isSound();
    await expect(voidFor(given!.id, [tickets[0]!])).rejects.toThrow("not refunded yet");
    await expect(voidFor(given!.id, [])).rejects.toThrow("not refunded yet");
    await expect(voidFor(given!.id, tickets.slice(1))).rejects.toThrow("These are the last tickets.");
    await refund(orderId);
    await isSound();
    expect(await revenue()).toBe(before);
  });

  it("voids tickets that cost more than was returned, and the rest stays revenue", async () => {
    const before = await revenue();
    const { orderId, paymentIntentId, tickets } = await bought([shop.general, 3]);
    await world.webhook("refund.created", atProvider(paymentIntentId, 4000));
    const [given] = await refundsOf(orderId);
    await drain();
    world.mails.length = 0;
    await voidFor(given!.id, tickets.slice(0, 2));
    await drain();
    expect(world.mails.map(({ to }) => to).toSorted()).toEqual(["buyer@people.test", "guest2@people.test"]);
    expect(await returned(orderId)).toMatchObject([{ refunded: 2, cents: 4000 }]);
    expect(await revenue()).toBe(before + 135 - 40);
    await expect(voidFor(given!.id, tickets.slice(2))).rejects.toThrow("no unassigned money left");
    await isSound();
  });

  it("voids parking alone, and says so to the buyer", async () => {
    const { orderId, paymentIntentId } = await bought([shop.general, 1], [shop.preferred, 1]);
    await world.webhook("refund.created", atProvider(paymentIntentId, 6000));
    const [given] = await refundsOf(orderId);
    const [item] = await world.sql(
      "select id from public.order_items where order_id = $1 and kind = 'parking'",
      orderId,
    );
    await drain();
    world.mails.length = 0;
    await voidFor(given!.id, [], [String(item!.id)]);
    await drain();
    expect(world.mails.map(({ to, subject }) => [to, subject])).toEqual([
      ["buyer@people.test", expect.stringMatching(/^Your parking pass for .* is no longer valid$/)],
    ]);
    await isSound();
  });

  it("leaves the tickets valid when it is reported again after an amount returned the rest", async () => {
    const { orderId, paymentIntentId, charge, tickets } = await bought([shop.general, 2]);
    const elsewhere = await world.stripe.refunds.create({ payment_intent: paymentIntentId, amount: 1000 });
    await world.webhook("refund.created", elsewhere);
    await refundAmount(orderId, 8000);
    await drain();
    for (const [type, object] of [
      ["charge.refunded", await world.stripe.charges.retrieve(charge)],
      ["refund.updated", elsewhere],
    ] as const) {
      expect((await world.webhook(type, object)).status).toBe(200);
    }
    expect(await statusOf(world, orderId)).toBe("confirmed");
    const valid = "select id from public.tickets where order_id = $1 and voided_at is null";
    expect(await world.sql(valid, orderId)).toHaveLength(tickets.length);
    await isSound();
  });

  it("is revenue again when the buyer's bank returns it, and our own refunds void no tickets for it", async () => {
    const before = await revenue();
    const { orderId, paymentIntentId, tickets } = await bought([shop.general, 2]);
    const elsewhere = atProvider(paymentIntentId, 1000);
    await world.webhook("refund.created", elsewhere);
    await world.webhook("refund.failed", { ...elsewhere, status: "failed", failure_reason: "unknown" });
    expect(await revenue()).toBe(before + 90);
    await refundAmount(orderId, 500);
    const ours = (await refundsOf(orderId)).at(-1)!;
    await expect(voidFor(ours.id, [tickets[0]!])).rejects.toThrow("no unassigned money left");
    await isSound();
  });
});
