// The maximum number of tickets for a buyer: known before they choose, and enforced in whatever order payments
// arrive.
import { ticketAllowanceSchema } from "contract/shop/ticket-allowance";
import { expect, it } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { pay, place, type Placed, statusOf } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();

const allowance = async (user?: string) => {
  const claims = user ? { role: "authenticated" as const, sub: user } : { role: "anon" as const };
  const { rows } = await world.db.database.transaction({ claims, headers: {} }, (tx) =>
    tx.query("select public.get_ticket_allowance() as answer"),
  );
  return ticketAllowanceSchema.parse(rows[0]!.answer);
};
const confirm = async (placed: Placed) => world.webhook("payment_intent.succeeded", await pay(world, placed));

it("is known to visitors, and to buyers minus what they bought before", async () => {
  expect(await allowance()).toEqual({ max_tickets: 20, bought: 0, held: 0, remaining: 20 });
  const user = await world.newUser();
  await confirm(await place(world, user, cartOf([shop.general, 3])));
  await place(world, user, cartOf([shop.vip, 2], [shop.general, 1]));
  expect(await allowance(user)).toEqual({ max_tickets: 20, bought: 3, held: 3, remaining: 17 });
  expect(await allowance(await world.newUser())).toMatchObject({ bought: 0, held: 0 });
  const most = await place(world, user, cartOf([shop.general, 17]));
  expect(await statusOf(world, most.orderId)).toBe("pending");
  const answer = await world.call("create-payment-intent", { as: user, body: cartOf([shop.general, 18]) });
  expect(answer).toMatchObject({
    status: 409,
    body: { error: { code: "too_many_units", details: { limit: 20, owned: 3 } } },
  });
});

it("counts the tickets of a former account with the same address, but not of an order released since", async () => {
  const user = await world.newUser();
  const kept = await place(world, user, cartOf([shop.general, 15]));
  await confirm(kept);
  const abandon = ({ orderId }: Placed) =>
    world.sql("select public.cancel_pending_orders(array[$1::uuid], 'abandoned')", orderId);
  await abandon(await place(world, user, cartOf([shop.general, 1])));
  const held = await place(world, user, cartOf([shop.general, 2]));
  await world.sql("delete from auth.users where id = $1", user);
  const remembered = await world.sql("select order_id from public.former_buyers");
  expect(remembered.map(({ order_id }) => order_id).toSorted()).toEqual(
    [kept.orderId, held.orderId].toSorted(),
  );
  await abandon(held);
  const again = await world.newUser();
  await world.sql("update auth.users set email = $2 where id = $1", again, `${user}@people.test`);
  expect(await allowance(again)).toMatchObject({ bought: 15, remaining: 5 });
  const answer = await world.call("create-payment-intent", { as: again, body: cartOf([shop.general, 6]) });
  expect(answer).toMatchObject({ status: 409, body: { error: { details: { limit: 20, owned: 15 } } } });
});

it("counts them when a payment arrives late too", async () => {
  const [former, buyer] = [await world.newUser(), await world.newUser()];
  await confirm(await place(world, former, cartOf([shop.general, 15])));
  const late = await place(world, buyer, cartOf([shop.general, 6]));
  await world.sql("select public.cancel_pending_orders(array[$1::uuid], 'hold_expired')", late.orderId);
  await world.sql("delete from auth.users where id = $1", former);
  await world.sql("update auth.users set email = $2 where id = $1", buyer, `${former}@people.test`);
  await confirm(late);
  expect(await world.sql("select reason from public.refunds where order_id = $1", late.orderId)).toEqual([
    { reason: "too_many_tickets" },
  ]);
});

it("holds when five orders that replaced each other are paid at once: the surplus is refunded", async () => {
  const user = await world.newUser();
  const placed: Placed[] = [];
  const intents = [];
  for (let count = 0; count < 5; count++) {
    placed.push(await place(world, user, cartOf([shop.general, 20])));
    intents.push(await pay(world, placed.at(-1)!));
  }
  const answers = await Promise.all(
    intents.map((intent) => world.webhook("payment_intent.succeeded", intent)),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(await allowance(user)).toEqual({ max_tickets: 20, bought: 20, held: 0, remaining: 0 });
  expect(await statusOf(world, placed[4]!.orderId)).toBe("confirmed");

  expect(await world.call("drain-outbox", { as: "service" })).toMatchObject({ body: { failed: 0 } });
  const charges = await Promise.all(
    intents.map(({ latest_charge }) => world.stripe.charges.retrieve(String(latest_charge))),
  );
  expect(charges.map(({ amount_refunded }) => amount_refunded)).toEqual([90_000, 90_000, 90_000, 90_000, 0]);
  expect(
    await world.sql(
      "select distinct reason from public.refunds join public.orders o on o.id = order_id where user_id = $1",
      user,
    ),
  ).toEqual([{ reason: "too_many_tickets" }]);
  // No longer "replaced", since their buyer has been charged.
  expect(
    await world.sql(
      "select cancel_reason, count(*)::int as orders from public.orders where user_id = $1 and status = 'cancelled' group by 1",
      user,
    ),
  ).toEqual([{ cancel_reason: "unfulfillable", orders: 4 }]);
});

it("accepts late payments within the limit", async () => {
  const user = await world.newUser();
  const placed: Placed[] = [];
  const intents = [];
  for (let count = 0; count < 3; count++) {
    placed.push(await place(world, user, cartOf([shop.general, 8])));
    intents.push(await pay(world, placed.at(-1)!));
  }
  await Promise.all(intents.map((intent) => world.webhook("payment_intent.succeeded", intent)));
  expect(await allowance(user)).toMatchObject({ bought: 16 });
  expect(await statusOf(world, placed[2]!.orderId)).toBe("confirmed");
});
