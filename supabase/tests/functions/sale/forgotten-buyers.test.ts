// What is left of the orders of a deleted account: names stay as long as a payment may still arrive, and no longer.
import { expect, it } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { place, statusOf } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();
await world.sql(
  "update public.festival set starts_at = now() + interval '30 days', ends_at = now() + interval '31 days'",
);

const buyerOf = async (orderId: string) =>
  (await world.sql("select buyer_full_name as name from public.orders where id = $1", orderId))[0]!.name;
const cleanUp = () => world.call("clean-up", { as: "service" });
const drain = () => world.call("drain-outbox", { as: "service", query: "?lane=money" });

async function ordered() {
  const user = await world.newUser();
  const placed = await place(world, user, cartOf([shop.general, 1]));
  const leave = () => world.sql("delete from auth.users where id = $1", user);
  const pay = (paymentMethod: string) =>
    world.stripe.paymentIntents
      .confirm(placed.paymentIntentId, {
        payment_method: paymentMethod,
        return_url: "http://shop.test/dashboard",
      })
      .then(({ status }) => status)
      .catch(({ code }) => code);
  return { ...placed, user, pay, leave };
}

it("keeps the names while a bank may still approve the payment, which then buys the tickets", async () => {
  const { orderId, paymentIntentId, user, pay, leave } = await ordered();
  expect(await pay("pm_card_bypassPending")).toBe("processing");
  await world.db.database.transaction({ claims: { role: "authenticated", sub: user } }, (tx) =>
    tx.query("select public.release_hold($1)", [orderId]),
  );
  await drain();
  await leave();
  expect((await cleanUp()).status).toBe(200);
  expect([await statusOf(world, orderId), await buyerOf(orderId)]).toEqual(["cancelled", "Bun B. Buyer"]);

  await world.sql(
    'update payments_sandbox.objects set body = body || \'{"status": "succeeded", "amount_received": 4500}\' where id = $1',
    paymentIntentId,
  );
  expect(await world.call("reconcile-payments", { as: "service" })).toMatchObject({
    status: 200,
    body: { confirmed: 1, failed: 0 },
  });
  expect(await statusOf(world, orderId)).toBe("confirmed");
  expect(await world.sql("select status from public.payments where order_id = $1", orderId)).toEqual([
    { status: "succeeded" },
  ]);
  expect(await world.sql("select attendee_name from public.tickets where order_id = $1", orderId)).toEqual([
    { attendee_name: "Guest 1" },
  ]);
});

it("keeps the names when nobody could ask the provider whether the payment ended", async () => {
  const { orderId, leave } = await ordered();
  await world.sql("select public.cancel_pending_orders(array[$1::uuid], 'abandoned')", orderId);
  await leave();
  await world.sql(
    "update public.outbox set dead_at = now() where dedupe_key = 'cancel_intent:' || $1",
    orderId,
  );
  await cleanUp();
  expect(await buyerOf(orderId)).toBe("Bun B. Buyer");
});

it.each(["no card", "a declined card"])(
  "removes the names of an order with %s once it cannot be paid",
  async (card) => {
    const { orderId, paymentIntentId, pay, leave } = await ordered();
    if (card === "a declined card") {
      expect(await pay("pm_card_chargeDeclined")).toBe("card_declined");
      const intent = await world.stripe.paymentIntents.retrieve(paymentIntentId);
      await world.webhook("payment_intent.payment_failed", intent);
      expect(await world.sql("select status from public.payments where order_id = $1", orderId)).toEqual([
        { status: "failed" },
      ]);
    }
    await world.sql("select public.cancel_pending_orders(array[$1::uuid], 'hold_expired')", orderId);
    await leave();
    await cleanUp();
    expect(await buyerOf(orderId), "the provider has not been told yet").toBe("Bun B. Buyer");
    await drain();
    await cleanUp();
    expect(await buyerOf(orderId)).toBe("Deleted account");
  },
);
