// A buyer whose carts and payments another transaction keeps locked, for instance by a slow request of their own: nobody else
// waits for them, and they are told to try again.
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { pay, place, type Placed } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";
import { untilWaitingOn } from "../../../../server/testing/waiting.ts";
import { openWorld } from "../../../../shop/testing/world.ts";

const { world, shop } = await openShop();
const cart = cartOf([shop.general, 1]);

/** `work` runs while a transaction has the buyer locked. */
const whileBusy = <T>(buyer: string, work: () => Promise<T>): Promise<T> =>
  world.db.database.asService("a slow request of the buyer").transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock(hashtextextended('buyer ' || $1::text, 0))", [buyer]);
    return work();
  });

const order = (as: string, key: string) =>
  world.call("create-payment-intent", { as, body: cart, headers: { "idempotency-key": key } });

it("keeps nobody else from ordering, and can order afterwards under the same key", async () => {
  const [busy, other] = [await world.newUser(), await world.newUser()];
  const key = randomUUID();
  await whileBusy(busy, async () => {
    const refused = order(busy, key);
    expect(await Promise.race([refused, place(world, other, cart)])).toHaveProperty("orderId");
    expect(await refused).toMatchObject({
      status: 409,
      body: {
        error: {
          code: "concurrent_request",
          message: "You are already placing another order. Please try again in a moment.",
        },
      },
    });
  });
  expect(await order(busy, key)).toMatchObject({ status: 200, body: { orderStatus: "pending" } });
  expect(await world.sql("select id from public.orders where user_id = $1", busy)).toHaveLength(1);
});

it("is served as soon as they are free again, however often they asked", async () => {
  const buyer = await world.newUser();
  const key = randomUUID();
  const asked = await whileBusy(buyer, async () => {
    const orders = Array.from({ length: 20 }, () => order(buyer, key));
    await new Promise((done) => setTimeout(done, 300));
    return [orders];
  });
  const answers = await Promise.all(asked[0]!);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ body }) => body.orderId)).size).toBe(1);
});

it("gets one order for one key sent a hundred times at once to two processes", async () => {
  const beside = await openWorld({ beside: world });
  const buyer = await world.newUser();
  const orders = [world, beside].flatMap((process) =>
    Array.from({ length: 50 }, () => place(process, buyer, cart, "one-key-for-both")),
  );
  expect(new Set((await Promise.all(orders)).map(({ orderId }) => orderId)).size).toBe(1);
  await beside.close();
});

it("keeps no other payment from being confirmed, however often they send theirs", async () => {
  const [busy, other] = [await world.newUser(), await world.newUser()];
  const [held, paid] = [await place(world, busy, cart), await place(world, other, cart)];
  await pay(world, held);
  await pay(world, paid);
  const confirm = (as: string, { paymentIntentId }: Placed) =>
    world.call("process-payment", { as, body: { paymentIntentId } });
  const [sent] = await whileBusy(busy, async () => {
    const confirming = Array.from({ length: 12 }, () => confirm(busy, held));
    await untilWaitingOn(world.db.database.asService("the test watches"))(1);
    expect(await confirm(other, paid)).toMatchObject({ status: 200, body: { status: "confirmed" } });
    return [confirming];
  });
  const answers = (await Promise.all(sent)).map(({ body }) => body.status);
  expect(answers.toSorted()).toEqual([...Array.from({ length: 11 }, () => "already_confirmed"), "confirmed"]);
});
