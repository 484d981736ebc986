import { afterEach, describe, expect, it } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { books, letHoldRunOut, pay, place, statusOf } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";
import { openWorld } from "../../../../shop/testing/world.ts";

const { world, shop } = await openShop();

const paidOrder = async () => {
  const user = await world.newUser();
  const placed = await place(world, user, cartOf([shop.general, 1]));
  return { user, placed, intent: await pay(world, placed) };
};

describe("the webhook", () => {
  it("confirms a paid order once, however often and late it arrives", async () => {
    const { placed, intent } = await paidOrder();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => world.webhook("payment_intent.succeeded", intent)),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await statusOf(world, placed.orderId)).toBe("confirmed");
    expect(await world.sql("select id from public.tickets where order_id = $1", placed.orderId)).toHaveLength(
      1,
    );
  });

  it("records a declined card and leaves the order payable, even when it arrives after the success", async () => {
    const user = await world.newUser();
    const placed = await place(world, user, cartOf([shop.general, 1]));
    const declined = {
      ...(await world.stripe.paymentIntents.retrieve(placed.paymentIntentId)),
      last_payment_error: { message: "Your card was declined." },
    };
    await world.webhook("payment_intent.payment_failed", declined);
    expect(
      await world.sql(
        "select status, failure_message from public.payments where order_id = $1",
        placed.orderId,
      ),
    ).toEqual([{ status: "failed", failure_message: "Your card was declined." }]);
    expect(await statusOf(world, placed.orderId)).toBe("pending");
    await world.webhook("payment_intent.succeeded", await pay(world, placed));
    await world.webhook("payment_intent.payment_failed", declined);
    expect(await statusOf(world, placed.orderId)).toBe("confirmed");
    expect(
      await world.sql(
        "select status, failure_message from public.payments where order_id = $1",
        placed.orderId,
      ),
      "the failed attempt stays in the order's history",
    ).toEqual([{ status: "succeeded", failure_message: "Your card was declined." }]);
  });

  it("refuses what the provider has not signed", async () => {
    const { intent } = await paidOrder();
    const before = await books(world);
    const payload = JSON.stringify({
      id: "evt_1",
      object: "event",
      type: "payment_intent.succeeded",
      data: { object: intent },
    });
    const sign = (secret: string, over = payload, timestamp = Math.floor(Date.now() / 1000)) =>
      world.stripe.webhooks.generateTestHeaderStringAsync({ payload: over, secret, timestamp });
    const forged = [
      "",
      "t=1,v1=00",
      await sign("whsec_other"),
      await sign("whsec_test", `${payload} `),
      await sign("whsec_test", payload, 1_000_000_000),
    ];
    for (const signature of forged) {
      const answer = await world.call("stripe-webhook", {
        body: payload,
        headers: { "stripe-signature": signature },
      });
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_signature" } } });
    }
    expect(await books(world)).toEqual(before);
  });

  it("accepts and ignores unknown events and payments that are not ours", async () => {
    const before = await books(world);
    const foreign = { id: "pi_foreign", object: "payment_intent", metadata: {}, amount_received: 5 };
    expect(await world.webhook("customer.created", { id: "cus_1" })).toMatchObject({ status: 200 });
    expect(await world.webhook("payment_intent.succeeded", foreign)).toMatchObject({ status: 200 });
    const elsewhere = { ...foreign, metadata: { order_id: crypto.randomUUID() } };
    expect(await world.webhook("payment_intent.succeeded", elsewhere)).toMatchObject({ status: 200 });
    expect(await books(world)).toEqual(before);
  });

  it("answers 5xx when the database cannot answer, so that the provider retries", async () => {
    const { placed, intent } = await paidOrder();
    await world.sql("alter function public.confirm_orders rename to confirm_orders_away");
    const failed = await world.webhook("payment_intent.succeeded", intent);
    await world.sql("alter function public.confirm_orders_away rename to confirm_orders");
    expect(failed).toMatchObject({ status: 500, body: { error: { code: "internal_error" } } });
    expect(await world.webhook("payment_intent.succeeded", intent)).toMatchObject({ status: 200 });
    expect(await statusOf(world, placed.orderId)).toBe("confirmed");
  });
});

describe("reconcile-payments", () => {
  it("confirms a payment that no webhook reported", async () => {
    const [one, other] = [await paidOrder(), await paidOrder()];
    const { body } = await world.call("reconcile-payments", { as: "service" });
    expect(body).toMatchObject({ failed: 0 });
    expect(body.confirmed).toBeGreaterThanOrEqual(2);
    expect(await statusOf(world, one.placed.orderId)).toBe("confirmed");
    expect(await statusOf(world, other.placed.orderId)).toBe("confirmed");
    expect((await world.call("reconcile-payments", { as: "service" })).body).toMatchObject({
      confirmed: 0,
      failed: 0,
    });
  });

  describe("with more intents than one run checks", () => {
    const reconcile = async () => (await world.call("reconcile-payments", { as: "service" })).body;
    const progress = async () => (await world.sql("select * from public.reconciliation"))[0]!;
    /** This many unpaid intents, all newer than the given one. */
    const crowd = (after: string, count: number) =>
      world.sql(
        `insert into payments_sandbox.objects (id, kind, root, body, created)
           select id, kind, id, body || jsonb_build_object('id', id, 'status', 'requires_payment_method', 'metadata', '{}'::jsonb), created
           from (select 'pi_crowd_' || n as id, kind, body, created from payments_sandbox.objects, generate_series(1, $2) as n where id = $1) as copies`,
        after,
        count,
      );
    afterEach(() => world.sql("delete from payments_sandbox.objects where id like 'pi_crowd_%'"));

    it("reaches the oldest payment in several runs, continues after a restart, and sees a new one at once", async () => {
      await reconcile();
      const oldest = await paidOrder();
      await crowd(oldest.intent.id, 8_900);
      expect(await reconcile()).toMatchObject({ looked_at: 5_000, confirmed: 0, complete: false });
      const { after_intent: reached } = await progress();
      expect(reached).toMatch(/^pi_crowd_/);

      const newest = await paidOrder();
      const restarted = await openWorld({ beside: world });
      const { body } = await restarted.call("reconcile-payments", { as: "service" });
      await restarted.close();
      expect(body).toMatchObject({ confirmed: 2, failed: 0 });
      expect(await statusOf(world, newest.placed.orderId)).toBe("confirmed");
      expect(await statusOf(world, oldest.placed.orderId)).toBe("confirmed");
      const { complete_to, began_at, after_intent } = await progress();
      expect([began_at, after_intent]).toEqual([null, null]);
      expect(Date.now() - (complete_to as Date).getTime()).toBeLessThan(60 * 60_000);
    });

    it("looks back to the start of the last complete pass, however long nothing ran", async () => {
      const { intent, placed } = await paidOrder();
      await world.sql(
        "update payments_sandbox.objects set created = created - 10 * 3600 where id = $1",
        intent.id,
      );
      expect(await reconcile()).toMatchObject({ confirmed: 0, complete: true });
      await world.sql("update public.reconciliation set complete_to = now() - interval '11 hours'");
      expect(await reconcile()).toMatchObject({ confirmed: 1, complete: true });
      expect(await statusOf(world, placed.orderId)).toBe("confirmed");
    });

    it("starts over when the provider no longer knows the intent it stopped at", async () => {
      const { intent } = await paidOrder();
      await crowd(intent.id, 1_100);
      await world.sql(
        `update public.reconciliation set began_at = now(), created_from = now() - interval '6 hours', after_intent = 'pi_gone'`,
      );
      expect(await world.call("reconcile-payments", { as: "service" })).toMatchObject({ status: 502 });
      expect((await progress()).after_intent).toBeNull();
      expect(await reconcile()).toMatchObject({ confirmed: 1 });
    });
  });
});

describe("a payment in another currency", () => {
  const paidInEuro = async () => {
    const user = await world.newUser();
    const placed = await place(world, user, cartOf([shop.general, 1]));
    const made = await world.stripe.paymentIntents.create({
      amount: 4500,
      currency: "eur",
      allowed_payment_method_types: ["card"],
      metadata: { order_id: placed.orderId },
    });
    const intent = await pay(world, { ...placed, paymentIntentId: made.id });
    const before = await books(world);
    return { user, placed, intent, before };
  };
  type Paid = Awaited<ReturnType<typeof paidInEuro>>;
  const doors = {
    "the webhook": ({ intent }: Paid) => world.webhook("payment_intent.succeeded", intent),
    "process-payment": ({ user, intent }: Paid) =>
      world.call("process-payment", { as: user, body: { paymentIntentId: intent.id } }),
    "reconcile-payments": () => world.call("reconcile-payments", { as: "service" }),
  };

  it.each(Object.keys(doors) as (keyof typeof doors)[])(
    "that %s reports first is refunded once, with one alert, and the order can still be paid",
    async (first) => {
      const paid = await paidInEuro();
      const { placed, intent, before } = paid;
      for (const door of [first, ...Object.keys(doors), first] as (keyof typeof doors)[]) {
        expect((await doors[door](paid)).status).toBe(200);
      }
      const after = await books(world);
      expect([after!.orders, after!.tickets, after!.issued]).toEqual([
        before!.orders,
        before!.tickets,
        before!.issued,
      ]);
      expect(
        await world.sql(
          "select amount::float, currency, status from public.payments where order_id = $1",
          placed.orderId,
        ),
      ).toEqual([{ amount: 45, currency: "eur", status: "refund_pending" }]);

      world.mails.length = 0;
      await world.call("drain-outbox", { as: "service" });
      const charge = await world.stripe.charges.retrieve(String(intent.latest_charge));
      expect(charge).toMatchObject({ refunded: true, amount_refunded: 4500 });
      const number = placed.orderId.slice(0, 8);
      const mails = world.mails.filter(({ subject }) => subject.includes(number));
      expect(mails.map(({ to, subject }) => [to, subject]).sort()).toEqual([
        ["buyer@people.test", `Your refund for order ${number}`],
        ["organizers@shop.test", `A payment came in another currency (${number})`],
      ]);
      expect(mails.find(({ to }) => to === "buyer@people.test")!.text).toContain("€45.00");

      await world.webhook("payment_intent.succeeded", await pay(world, placed));
      expect(await statusOf(world, placed.orderId)).toBe("confirmed");
    },
  );

  it("does not keep an order's hold from expiring", async () => {
    const { placed, intent } = await paidInEuro();
    await world.sql(
      "update public.orders set payment_intent_id = $2 where id = $1",
      placed.orderId,
      intent.id,
    );
    await letHoldRunOut(world, placed.orderId);
    expect((await world.call("expire-holds", { as: "service" })).body).toMatchObject({
      expired: 1,
      confirmed: 0,
    });
    expect(await statusOf(world, placed.orderId)).toBe("cancelled");
  });
});

describe("expire-holds", () => {
  const expire = () => world.call("expire-holds", { as: "service" });

  it("cancels the unpaid order and its intent, and returns the stock once", async () => {
    const before = await books(world);
    const placed = await place(world, await world.newUser(), cartOf([shop.vip, 2]));
    await letHoldRunOut(world, placed.orderId);
    const runs = await Promise.all([expire(), expire()]);
    expect(runs.map(({ body }) => body.expired).reduce((a, b) => a + b)).toBe(1);
    expect(
      await world.sql("select status, cancel_reason from public.orders where id = $1", placed.orderId),
    ).toEqual([{ status: "cancelled", cancel_reason: "hold_expired" }]);
    expect(await world.stripe.paymentIntents.retrieve(placed.paymentIntentId)).toMatchObject({
      status: "canceled",
    });
    const after = await books(world);
    expect([after!.tickets, after!.parking]).toEqual([before!.tickets, before!.parking]);
  });

  it("says that a hold ran out also when its buyer orders again before it is canceled", async () => {
    const user = await world.newUser();
    const [late, changed] = [await place(world, user, cartOf([shop.vip, 1])), cartOf([shop.general, 1])];
    await letHoldRunOut(world, late.orderId);
    const left = await place(world, user, cartOf([shop.vip, 1]));
    await place(world, user, changed);
    const reasonOf = async ({ orderId }: { orderId: string }) =>
      (await world.sql("select cancel_reason from public.orders where id = $1", orderId))[0]!.cancel_reason;
    expect([await reasonOf(late), await reasonOf(left)]).toEqual(["hold_expired", "replaced"]);
  });

  it("gives the tickets to a buyer who has already paid", async () => {
    const { placed } = await paidOrder();
    await letHoldRunOut(world, placed.orderId);
    expect(await expire()).toMatchObject({ body: { confirmed: 1, expired: 0, failed: 0 } });
    expect(await statusOf(world, placed.orderId)).toBe("confirmed");
  });

  it("waits for a payment that is in progress at the bank", async () => {
    const placed = await place(world, await world.newUser(), cartOf([shop.general, 1]));
    await world.stripe.paymentIntents.confirm(placed.paymentIntentId, {
      payment_method: "pm_card_bypassPending",
      return_url: "http://shop.test/dashboard",
    });
    await letHoldRunOut(world, placed.orderId);
    expect(await expire()).toMatchObject({ body: { postponed: 1, expired: 0 } });
    expect(await statusOf(world, placed.orderId)).toBe("pending");
    expect(await expire()).toMatchObject({ body: { postponed: 0, expired: 0 } });
  });

  it.each([
    { kind: "refused", status: 500 },
    { kind: "kept", times: 1 },
  ] as const)("cancels a hold that never had an intent: $kind", async (fault) => {
    const user = await world.newUser();
    world.sandbox.injectFault(fault);
    await world.call("create-payment-intent", { as: user, body: cartOf([shop.general, 1]) });
    world.sandbox.clearFaults();
    const [order] = await world.sql("select id from public.orders where user_id = $1", user);
    await letHoldRunOut(world, order!.id);
    expect(await expire()).toMatchObject({ body: { expired: 1, failed: 0 } });
  });

  it("cancels a hold whose keys have all been used up by the provider's failures", async () => {
    const as = await world.newUser();
    world.sandbox.injectFault({ kind: "kept", matches: ({ method }) => method === "POST" });
    await world.call("create-payment-intent", { as, body: cartOf([shop.general, 1]) });
    const [order] = await world.sql("select id from public.orders where user_id = $1", as);
    const outcomes: unknown[] = [];
    await letHoldRunOut(world, order!.id);
    for (let minute = 0; minute < 20; minute++) {
      await world.sql("update public.orders set expiry_check_at = null where id = $1", order!.id);
      outcomes.push((await expire()).body);
    }
    // Nothing is left to close at the provider.
    await world.call("drain-outbox", { as: "service" });
    world.sandbox.clearFaults();
    const [closing] = await world.sql(
      "select done_at is not null as done from public.outbox where kind = 'cancel_intent' and payload ->> 'order_id' = $1",
      order!.id,
    );
    expect(closing).toEqual({ done: true });
    expect(outcomes.slice(0, -1)).toEqual(
      Array.from({ length: 19 }, () => expect.objectContaining({ expired: 0, failed: 1 })),
    );
    expect(outcomes.at(-1)).toMatchObject({ expired: 1, failed: 0 });
  });

  it("keeps the order while the provider is unreachable, and settles the others", async () => {
    const [stuck, free] = [
      await place(world, await world.newUser(), cartOf([shop.general, 1])),
      await place(world, await world.newUser(), cartOf([shop.general, 1])),
    ];
    await letHoldRunOut(world, stuck.orderId);
    await letHoldRunOut(world, free.orderId);
    world.sandbox.injectFault({
      kind: "refused",
      status: 503,
      matches: (request) => request.url.includes(stuck.paymentIntentId),
    });
    expect(await expire()).toMatchObject({ body: { expired: 1, failed: 1 } });
    world.sandbox.clearFaults();
    expect(await statusOf(world, stuck.orderId)).toBe("pending");
    expect(await statusOf(world, free.orderId)).toBe("cancelled");
  });
});

describe("verify-payment", () => {
  const session = async (orderId: string, cents: number) => {
    const made = await world.stripe.checkout.sessions.create({
      mode: "payment",
      line_items: [
        {
          price_data: { currency: "usd", unit_amount: cents, product_data: { name: "The order" } },
          quantity: 1,
        },
      ],
      success_url: "http://shop.test/order-confirmation?session_id={CHECKOUT_SESSION_ID}",
      payment_intent_data: { metadata: { order_id: orderId } },
    });
    const [intent] = (await world.stripe.paymentIntents.list({ limit: 1 })).data;
    return { id: made.id, intentId: intent!.id };
  };

  it("leads from the provider's page to the order, its tickets, its permit and their entry codes", async () => {
    const user = await world.newUser();
    const { orderId } = await place(world, user, cartOf([shop.general, 2], [shop.parking, 1]));
    const { id, intentId } = await session(orderId, 11_500);
    const early = await world.call("verify-payment", { as: user, body: { sessionId: id } });
    expect(early).toMatchObject({ status: 409, body: { error: { code: "payment_not_completed" } } });
    await pay(world, { paymentIntentId: intentId });
    const answer = await world.call("verify-payment", { as: user, body: { sessionId: id } });
    expect(answer).toEqual({
      status: 200,
      body: { success: true, orderId, status: "confirmed", stats: { qrCodesGenerated: 3 } },
    });
    const again = await world.call("verify-payment", { as: user, body: { sessionId: id } });
    expect(again.body).toMatchObject({ success: true, orderId, stats: { qrCodesGenerated: 0 } });
    const stranger = await world.newUser();
    for (const sessionId of [id, "cs_test_unknown"]) {
      expect(await world.call("verify-payment", { as: stranger, body: { sessionId } })).toMatchObject({
        status: 404,
        body: { error: { code: "order_not_found" } },
      });
    }
  });
});
