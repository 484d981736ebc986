// Declined cards: what the health panel makes of them, and when an order takes no more.
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { books, pay, place, type Placed, statusOf } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();
const admin = await world.newUser();
await world.sql("insert into public.user_roles (user_id, role) values ($1, 'admin')", admin);

const as = async (user: string, text: string, ...values: unknown[]) =>
  (
    await world.db.database.transaction({ claims: { role: "authenticated", sub: user }, headers: {} }, (tx) =>
      tx.query(text, values),
    )
  ).rows;
const health = async () =>
  (await as(admin, "select public.get_system_health() as answer"))[0]!.answer as {
    unusual_declines: number;
    failed_orders: number;
  };
const order = async (user: string) => place(world, user, cartOf([shop.general, 1]));
const intentOf = ({ paymentIntentId }: Placed) => world.stripe.paymentIntents.retrieve(paymentIntentId);
async function decline(placed: Placed, times: number, hoursAgo = 0): Promise<void> {
  const intent = { ...(await intentOf(placed)), last_payment_error: { message: "Your card was declined." } };
  const at = Math.floor(Date.now() / 1000) - hoursAgo * 3600;
  for (let time = 0; time < times; time++)
    expect(await world.webhook("payment_intent.payment_failed", intent, at)).toMatchObject({ status: 200 });
}

it("raises the alarm about every declined card of the last hour, however the orders end", async () => {
  const buyer = await world.newUser();
  const own = await order(buyer);
  await decline(own, 3);
  expect(await health(), "one buyer's three cards").toMatchObject({ unusual_declines: 0 });

  const tester = await world.newUser();
  const left = await order(tester);
  await decline(left, 8, 2);
  await decline(left, 1);
  await as(tester, "select public.release_hold($1)", left.orderId);
  const late = await order(tester);
  await decline(late, 6);
  expect(await health(), "ten of the last hour").toMatchObject({ unusual_declines: 0 });
  await decline(late, 1);
  expect(await health()).toMatchObject({ unusual_declines: 11 });
  await world.webhook("payment_intent.succeeded", await pay(world, late));
  expect(await health(), "paid in the end").toMatchObject({ unusual_declines: 11, failed_orders: 0 });

  const found = (await as(admin, "select public.get_recent_orders(100, 0, 'failed') as answer"))[0]!
    .answer as {
    orders: { id: string }[];
  };
  expect(found.orders.map(({ id }) => id)).toEqual([left.orderId]);
});

it("compares them with orders that were paid for", async () => {
  const sold = (cents: number) =>
    world.sql(
      `insert into public.orders (status, confirmed_at, total_amount, buyer_full_name, buyer_email, buyer_phone_number)
       select 'confirmed', now(), $1, 'Ana', 'ana@people.test', '713-555-0100' from generate_series(1, 11)`,
      cents / 100,
    );
  await sold(0);
  expect(await health(), "free orders").toMatchObject({ unusual_declines: 11 });
  await sold(4500);
  expect(await health()).toMatchObject({ unusual_declines: 0 });
});

it("counts an event once, however often the provider reports it", async () => {
  const placed = await order(await world.newUser());
  const report = "select public.fail_payment($1, $2, 'declined', $3, now()) as is_over";
  const event = `evt_${randomUUID()}`;
  for (let time = 0; time < 12; time++)
    expect(await world.sql(report, placed.orderId, placed.paymentIntentId, event)).toEqual([
      { is_over: false },
    ]);
  expect(await statusOf(world, placed.orderId)).toBe("pending");
});

it("ends an order with its tenth declined card: its stock returns, and its payment takes no further card", async () => {
  const before = await books(world);
  const placed = await order(await world.newUser());
  await decline(placed, 9);
  expect(await statusOf(world, placed.orderId)).toBe("pending");
  await decline(placed, 1);
  await world.call("drain-outbox", { as: "service", query: "?lane=money" });
  expect((await intentOf(placed)).status).toBe("canceled");
  await expect(pay(world, placed)).rejects.toMatchObject({ code: "payment_intent_unexpected_state" });
  expect(
    await world.sql("select status, cancel_reason from public.orders where id = $1", placed.orderId),
  ).toEqual([{ status: "cancelled", cancel_reason: "payment_failed" }]);
  const { tickets } = before!;
  expect(await books(world)).toMatchObject({ tickets });
});

it("asks an administrator again when an order that they dealt with is paid again in vain", async () => {
  const placed = await order(await world.newUser());
  const payWrongly = (intent: string) =>
    world.sql("select public.confirm_order($1, $2, 1)", placed.orderId, intent);
  await payWrongly("pi_first");
  expect(await health()).toMatchObject({ failed_orders: 1 });
  await as(admin, "select public.acknowledge_order($1)", placed.orderId);
  expect(await health()).toMatchObject({ failed_orders: 0 });
  await payWrongly("pi_second");
  expect(await health()).toMatchObject({ failed_orders: 1 });
});
