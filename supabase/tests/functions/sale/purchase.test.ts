import { describe, expect, it } from "vitest";
import { cartOf, type CatalogItem } from "../../../../shop/testing/cart.ts";
import { books, pay, place, statusOf } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();

describe("payment-config", () => {
  it("returns the publishable key to anybody, and states that the money is not real", async () => {
    expect(await world.call("payment-config")).toEqual({
      status: 200,
      body: { publishableKey: "pk_test_sandbox_functions", sandbox: true },
    });
  });
});

describe("create-payment-intent", () => {
  it("holds the stock and gives the browser what it needs to pay", async () => {
    const user = await world.newUser();
    const answer = await world.call("create-payment-intent", {
      as: user,
      body: cartOf([shop.general, 2], [shop.parking, 1]),
    });
    expect(answer).toMatchObject({ status: 200, body: { totalAmount: 115, orderStatus: "pending" } });
    const { orderId, paymentIntentId, clientSecret, holdExpiresAt } = answer.body;
    expect(clientSecret).toMatch(new RegExp(`^${paymentIntentId}_secret_`));
    expect(new Date(holdExpiresAt).getTime()).toBeGreaterThan(Date.now());
    expect(await statusOf(world, orderId)).toBe("pending");
    const intent = await world.stripe.paymentIntents.retrieve(paymentIntentId);
    expect(intent).toMatchObject({ amount: 11_500, currency: "usd", metadata: { order_id: orderId } });
  });

  it("returns the same order and intent for the same key, a hundred times at once", async () => {
    const user = await world.newUser();
    const cart = cartOf([shop.general, 1]);
    const placed = await Promise.all(
      Array.from({ length: 100 }, () => place(world, user, cart, "one-and-only-key")),
    );
    expect(new Set(placed.map(({ orderId }) => orderId)).size).toBe(1);
    expect(new Set(placed.map(({ clientSecret }) => clientSecret)).size).toBe(1);
  });

  it("refuses another cart under the same key", async () => {
    const user = await world.newUser();
    await place(world, user, cartOf([shop.general, 1]), "a-used-key");
    const headers = { "idempotency-key": "a-used-key" };
    const answer = await world.call("create-payment-intent", {
      as: user,
      body: cartOf([shop.general, 2]),
      headers,
    });
    expect(answer).toMatchObject({ status: 409, body: { error: { code: "idempotency_conflict" } } });
  });

  it("remembers a key for 72 hours", async () => {
    const user = await world.newUser();
    const first = await place(world, user, cartOf([shop.general, 1]), "an-old-key");
    const ageTo = (hours: number) =>
      world.sql(
        `update public.orders set created_at = now() - interval '${hours} hours' where id = $1`,
        first.orderId,
      );
    await ageTo(71);
    expect((await place(world, user, cartOf([shop.general, 1]), "an-old-key")).orderId).toBe(first.orderId);
    await ageTo(73);
    expect((await place(world, user, cartOf([shop.general, 2]), "an-old-key")).orderId).not.toBe(
      first.orderId,
    );
  });

  it("keeps the hold when the provider fails, and completes with the same key", async () => {
    const user = await world.newUser();
    const options = {
      as: user,
      body: cartOf([shop.general, 1]),
      headers: { "idempotency-key": "patient-key" },
    };
    world.sandbox.injectFault({ kind: "refused", status: 503 });
    const failed = await world.call("create-payment-intent", options);
    world.sandbox.clearFaults();
    expect(failed).toMatchObject({ status: 502, body: { error: { code: "payment_provider_unavailable" } } });
    expect(JSON.stringify(failed.body)).not.toContain("sk_test");
    const [held] = await world.sql("select id, status from public.orders where user_id = $1", user);
    expect(held).toMatchObject({ status: "pending" });
    expect(await world.call("create-payment-intent", options)).toMatchObject({
      status: 200,
      body: { orderId: held!.id },
    });
  });

  it.each([
    { unadvised: false, keys: 1 },
    { unadvised: true, keys: 2 },
  ])("uses $keys of the keys in a call that the provider fails: $unadvised", async ({ unadvised, keys }) => {
    const tried = new Set<string>();
    world.sandbox.injectFault({
      ...{ kind: "kept", unadvised },
      matches: ({ method, headers }) => method === "POST" && !!tried.add(headers.get("idempotency-key")!),
    });
    const as = await world.newUser();
    const failed = await world.call("create-payment-intent", { as, body: cartOf([shop.general, 1]) });
    world.sandbox.clearFaults();
    expect(failed).toMatchObject({ status: 502 });
    expect(tried.size).toBe(keys);
  });

  it("completes with the same key although the provider repeats a failure of its own", async () => {
    const options = {
      as: await world.newUser(),
      body: cartOf([shop.general, 1]),
      headers: { "idempotency-key": "unlucky-key" },
    };
    world.sandbox.injectFault({ kind: "kept", times: 1 });
    expect(await world.call("create-payment-intent", options)).toMatchObject({ status: 502 });
    const first = await world.call("create-payment-intent", options);
    expect(first).toMatchObject({ status: 200 });
    expect(await world.call("create-payment-intent", options), "the same intent").toMatchObject({
      body: { orderId: first.body.orderId, paymentIntentId: first.body.paymentIntentId },
    });
  });

  it("reports what is left when there is too little", async () => {
    const user = await world.newUser();
    await world.sql(
      "update public.parking_passes set current_inventory = 0 where id = $1",
      shop.preferred.id,
    );
    const answer = await world.call("create-payment-intent", {
      as: user,
      body: cartOf([shop.general, 1], [shop.preferred, 1]),
    });
    expect(answer).toMatchObject({
      status: 409,
      body: {
        error: {
          code: "insufficient_stock",
          details: { items: [{ id: shop.preferred.id, available: 0, requested: 1 }] },
        },
      },
    });
  });
});

it("refuses an order while the sale is stopped, but accepts the payment of an earlier one", async () => {
  const user = await world.newUser();
  const placed = await place(world, user, cartOf([shop.general, 1]), "placed-before");
  await world.sql("update public.shop_settings set on_sale = false");
  expect(
    await world.call("create-payment-intent", { as: await world.newUser(), body: cartOf([shop.general, 1]) }),
  ).toMatchObject({
    status: 409,
    body: { error: { code: "sales_closed", message: "Sales are paused.", details: { state: "paused" } } },
  });
  await pay(world, placed);
  expect(
    await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } }),
  ).toMatchObject({ status: 200 });
  expect(await statusOf(world, placed.orderId)).toBe("confirmed");
  await world.sql("update public.shop_settings set on_sale = true");
});

type Cart = ReturnType<typeof cartOf>;
const first = (cart: Cart, change: Partial<CatalogItem & { quantity: number }>): Cart => ({
  ...cart,
  items: cart.items.map((item, index) => (index === 0 ? { ...item, ...change } : item)),
});

describe("a tampered purchase changes nothing and says why:", () => {
  const attempts: [title: string, body: () => unknown, status: number, code: string][] = [
    ["a lower total", () => ({ ...cartOf([shop.general, 2]), totalAmount: 1 }), 409, "price_changed"],
    [
      "a lower price with its total",
      () => ({ ...first(cartOf([shop.general, 1]), { price: 1 }), totalAmount: 1 }),
      409,
      "price_changed",
    ],
    ["nothing to pay", () => ({ ...cartOf([shop.general, 1]), totalAmount: 0 }), 409, "price_changed"],
    [
      "too little for a card",
      () => ({ ...cartOf([shop.general, 1]), totalAmount: 0.49 }),
      400,
      "amount_too_small",
    ],
    ["more than one buyer may have", () => cartOf([shop.general, 25]), 409, "too_many_units"],
    ["a negative quantity", () => cartOf([shop.general, 3], [shop.vip, -1]), 400, "invalid_request"],
    ["a fractional quantity", () => cartOf([shop.general, 1.5]), 400, "invalid_request"],
    [
      "a quantity in words",
      () => first(cartOf([shop.general, 1]), { quantity: "1" as never }),
      400,
      "invalid_request",
    ],
    [
      "a fraction of a cent",
      () => ({ ...cartOf([shop.general, 1]), totalAmount: 45.001 }),
      400,
      "invalid_request",
    ],
    ["two parking passes", () => cartOf([shop.general, 1], [shop.parking, 2]), 409, "parking_limit"],
    [
      "two kinds of parking",
      () => cartOf([shop.general, 1], [shop.parking, 1], [shop.preferred, 1]),
      409,
      "parking_limit",
    ],
    ["paid parking beside VIP", () => cartOf([shop.vip, 1], [shop.parking, 1]), 409, "parking_limit"],
    ["parking alone", () => cartOf([shop.parking, 1]), 409, "no_tickets"],
    ["an item twice", () => cartOf([shop.general, 1], [shop.general, 1]), 400, "invalid_request"],
    [
      "an item twice, once in upper case",
      () => {
        const { items, ...cart } = cartOf([shop.general, 1], [shop.general, 1]);
        return { ...cart, items: [items[0], { ...items[1], id: shop.general.id.toUpperCase() }] };
      },
      400,
      "invalid_request",
    ],
    [
      "an unknown item",
      () => first(cartOf([shop.general, 1]), { id: crypto.randomUUID() }),
      409,
      "unknown_item",
    ],
    [
      "a ticket as parking",
      () => ({ ...first(cartOf([shop.general, 1]), { type: "parking" }), attendees: [] }),
      409,
      "unknown_item",
    ],
    ["a missing attendee", () => ({ ...cartOf([shop.general, 2]), attendees: [] }), 400, "invalid_request"],
    ["an empty cart", () => cartOf(), 400, "invalid_request"],
    [
      "a NUL in a name",
      () => ({ ...cartOf([shop.general, 1]), attendees: [{ name: "a\u0000b", email: "a@b.test" }] }),
      400,
      "invalid_request",
    ],
    ["malformed JSON", () => '{"items": [', 400, "invalid_request"],
    ["something else than an object", () => "[1,2,3]", 400, "invalid_request"],
    ["no body", () => "", 400, "invalid_request"],
  ];

  it.each(attempts)("%s", async (_title, body, status, code) => {
    const user = await world.newUser();
    const before = await books(world);
    const answer = await world.call("create-payment-intent", { as: user, body: body() });
    expect(answer).toMatchObject({ status, body: { error: { code } } });
    expect(answer.body.error.message).toMatch(/\w+ \w+/);
    expect(await books(world)).toEqual(before);
  });

  it("more of one item, or more items, than one order may have, in their own words", async () => {
    const user = await world.newUser();
    const refusalOf = async (cart: object) =>
      (await world.call("create-payment-intent", { as: user, body: cart })).body.error;
    expect(await refusalOf(cartOf([shop.general, 501]))).toMatchObject({
      code: "invalid_request",
      message: "At most 500 of one item can be ordered at once.",
    });
    const kinds = Array.from(
      { length: 21 },
      () => [{ ...shop.general, id: crypto.randomUUID() }, 1] as const,
    );
    expect(await refusalOf(cartOf(...kinds))).toMatchObject({
      code: "invalid_request",
      message: "At most 20 different items can be ordered at once.",
    });
  });

  it("a quantity above the stock", async () => {
    const user = await world.newUser();
    const [stock] = await world.sql(
      "select current_inventory as available from public.ticket_types where id = $1",
      shop.vip.id,
    );
    await world.sql("update public.ticket_types set current_inventory = 3 where id = $1", shop.vip.id);
    const before = await books(world);
    const answer = await world.call("create-payment-intent", { as: user, body: cartOf([shop.vip, 4]) });
    expect(answer).toMatchObject({
      status: 409,
      body: {
        error: {
          code: "insufficient_stock",
          details: { items: [{ id: shop.vip.id, available: 3, requested: 4 }] },
        },
      },
    });
    expect(await books(world)).toEqual(before);
    await world.sql(
      "update public.ticket_types set current_inventory = $2 where id = $1",
      shop.vip.id,
      stock!.available,
    );
  });

  it("a purchase without an account", async () => {
    const before = await books(world);
    for (const as of [undefined, "service"]) {
      const answer = await world.call("create-payment-intent", {
        ...(as && { as }),
        body: cartOf([shop.general, 1]),
      });
      expect(answer).toMatchObject({ status: 401, body: { error: { code: "unauthorized" } } });
    }
    expect(await books(world)).toEqual(before);
  });
});

describe("process-payment", () => {
  it("confirms a paid order once, however often it is called", async () => {
    const user = await world.newUser();
    const placed = await place(world, user, cartOf([shop.general, 2]));
    await pay(world, placed);
    const body = { paymentIntentId: placed.paymentIntentId };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => world.call("process-payment", { as: user, body })),
    );
    expect(answers.filter(({ status, body }) => status !== 200 || !body.success)).toEqual([]);
    expect(answers.filter(({ body: { status } }) => status === "confirmed")).toHaveLength(1);
    expect(await world.sql("select id from public.tickets where order_id = $1", placed.orderId)).toHaveLength(
      2,
    );
  });

  it("does not believe a browser's claim to have paid", async () => {
    const user = await world.newUser();
    const placed = await place(world, user, cartOf([shop.general, 1]));
    const answer = await world.call("process-payment", {
      as: user,
      body: { paymentIntentId: placed.paymentIntentId },
    });
    expect(answer).toMatchObject({
      status: 409,
      body: { error: { code: "payment_not_completed", details: { status: "requires_payment_method" } } },
    });
    expect(await statusOf(world, placed.orderId)).toBe("pending");
  });

  it("gives the same answer for an unknown order and somebody else's, paid or not", async () => {
    const [owner, stranger] = [await world.newUser(), await world.newUser()];
    const unpaid = await place(world, owner, cartOf([shop.general, 1]));
    const paid = await place(world, await world.newUser(), cartOf([shop.general, 1]));
    await pay(world, paid);
    const before = await books(world);
    const ask = (paymentIntentId: string) =>
      world.call("process-payment", { as: stranger, body: { paymentIntentId } });
    const answers = [
      await ask(unpaid.paymentIntentId),
      await ask(paid.paymentIntentId),
      await ask("pi_unknown"),
    ];
    expect(answers[0]).toMatchObject({ status: 404, body: { error: { code: "order_not_found" } } });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(await books(world)).toEqual(before);
  });

  it("refuses anything but a payment intent's id", async () => {
    const user = await world.newUser();
    const answer = await world.call("process-payment", { as: user, body: { paymentIntentId: "../refunds" } });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
  });
});
