import { describe, expect, it } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { pay, place } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();

const order = (as: string, count = 1, ip = "192.0.2.9", key?: string) =>
  world.call("create-payment-intent", {
    as,
    body: cartOf([shop.general, count]),
    ip,
    ...(key && { headers: { "idempotency-key": key } }),
  });

describe("a buyer", () => {
  it("places five orders a minute, and is told when to retry", async () => {
    const user = await world.newUser();
    for (let count = 0; count < 5; count++) expect((await order(user)).status).toBe(200);
    const refused = await order(user);
    expect(refused).toMatchObject({ status: 429, body: { error: { code: "rate_limited" } } });
    expect(refused.body.error.details.retry_after_seconds).toBeGreaterThan(50);
    await world.sql(
      "update public.orders set created_at = created_at - interval '61 seconds' where user_id = $1",
      user,
    );
    expect((await order(user)).status).toBe(200);
  });

  it("repeats an order under its key without using up the limit", async () => {
    const user = await world.newUser();
    for (let count = 0; count < 8; count++) {
      expect((await order(user, 1, "192.0.2.9", "always-the-same")).status).toBe(200);
    }
  });

  it("verifies three payments a minute, and each of them repeatedly", async () => {
    const user = await world.newUser();
    const ask = (paymentIntentId: string) =>
      world.call("process-payment", { as: user, body: { paymentIntentId } });
    const placed = await place(world, user, cartOf([shop.general, 1]));
    await pay(world, placed);
    for (const other of ["pi_one", "pi_two"]) expect((await ask(other)).status).toBe(404);
    for (let count = 0; count < 5; count++) expect((await ask(placed.paymentIntentId)).status).toBe(200);
    expect(await ask("pi_four")).toMatchObject({ status: 429, body: { error: { code: "rate_limited" } } });
    expect((await ask(placed.paymentIntentId)).status).toBe(200);
  });
});

describe("an address", () => {
  it("places as many orders a minute as the settings allow", async () => {
    await world.sql("update public.shop_settings set max_orders_per_address = 3");
    const buyers = await Promise.all(Array.from({ length: 5 }, () => world.newUser()));
    const answers = await Promise.all(buyers.map((buyer) => order(buyer, 1, "192.0.2.77")));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429]);
    expect((await order(buyers[4]!, 1, "192.0.2.78")).status).toBe(200);
    await world.sql("update public.shop_settings set max_orders_per_address = 300");
  });

  it("cannot empty the shop with unpaid holds, and may hold more after paying", async () => {
    const stock = async () => {
      const [row] = await world.sql<{ free: number; total: number }>(
        "select sum(current_inventory)::int as free, sum(total_inventory)::int as total from public.ticket_types",
      );
      return row!;
    };
    const before = await stock();
    const bots = await Promise.all(Array.from({ length: 40 }, () => world.newUser()));
    const answers = await Promise.all(bots.map((bot) => order(bot, 20, "203.0.113.66")));
    const held = answers.filter(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40 - held.length);
    const after = await stock();
    expect(before.free - after.free).toBe(held.length * 20);
    expect(before.free - after.free).toBeLessThanOrEqual(before.total * 0.05);
    await pay(world, held[0]!.body);
    await world.webhook(
      "payment_intent.succeeded",
      await world.stripe.paymentIntents.retrieve(held[0]!.body.paymentIntentId),
    );
    expect((await order(await world.newUser(), 20, "203.0.113.66")).status).toBe(200);
  });
});

describe("the clean-up", () => {
  it("deletes old limits, mails and addresses, and nothing else", async () => {
    const user = await world.newUser();
    const [old, young] = [
      await order(user, 1, "192.0.2.80", "an-old-key"),
      await order(user, 1, "192.0.2.80", "a-young-key"),
    ];
    await world.sql(
      "update public.order_addresses set placed_at = now() - interval '3 days' where order_id = $1",
      old.body.orderId,
    );
    const versions = () => world.sql("select id, xmin::text from public.orders order by id");
    const before = await versions();
    await world.sql("insert into public.rate_limits values ('old', '{}', now() - interval '2 days')");
    await world.sql(
      "update public.outbox set done_at = now() - interval '31 days' where kind = 'cancel_intent'",
    );
    const answer = await world.call("clean-up", { as: "service" });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body.removed).toBeGreaterThanOrEqual(3);
    expect(
      await world.sql(
        "select order_id, address from public.order_addresses where order_id = any ($1)",
        [old, young].map(({ body }) => body.orderId),
      ),
    ).toEqual([{ order_id: young.body.orderId, address: "192.0.2.80" }]);
    // Not a single order is written, so no dashboard receives a change.
    expect(await versions()).toEqual(before);
    expect((await world.call("clean-up", { as: "service" })).body).toEqual({ removed: 0 });
  });
});
