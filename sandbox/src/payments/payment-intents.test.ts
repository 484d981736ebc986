import { describe, expect, test } from "vitest";
import { CARD, cardForm, connect, until, useSandbox } from "../../testing/sandbox.ts";

const { shop, running } = await useSandbox();

const create = (amount = 9000) =>
  running.stripe.paymentIntents.create({
    amount,
    currency: "usd",
    automatic_payment_methods: { enabled: true },
    metadata: { order_id: "o1" },
    receipt_email: "buyer@example.com",
  });

async function confirm(intent: { id: string; client_secret: string | null }, number: string, more = {}) {
  return running.browser("POST", `/v1/payment_intents/${intent.id}/confirm`, {
    client_secret: intent.client_secret!,
    ...cardForm(number),
    ...more,
  });
}

const eventOf = (intentId: string, type: string) =>
  until(() =>
    shop.events.find((event) => event.type === type && (event.data.object as { id: string }).id === intentId),
  );

describe("paying", () => {
  test("takes the amount from a good card and notifies the shop", async () => {
    const intent = await create();
    expect(intent).toMatchObject({
      status: "requires_payment_method",
      amount: 9000,
      metadata: { order_id: "o1" },
    });
    expect(intent.client_secret).toMatch(new RegExp(`^${intent.id}_secret_\\w{25}$`));

    const { status, body } = await confirm(intent, CARD.success);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: intent.id, status: "succeeded" });
    expect(body).not.toHaveProperty("metadata");

    const paid = await running.stripe.paymentIntents.retrieve(intent.id, { expand: ["latest_charge"] });
    expect(paid).toMatchObject({
      status: "succeeded",
      amount_received: 9000,
      latest_charge: {
        object: "charge",
        paid: true,
        amount: 9000,
        payment_method_details: { card: { last4: "4242" } },
      },
    });
    expect(await eventOf(intent.id, "payment_intent.succeeded")).toMatchObject({
      data: { object: { status: "succeeded" } },
    });
  });

  test("takes a wallet without a card number", async () => {
    const intent = await create();
    const { body } = await running.browser("POST", `/v1/payment_intents/${intent.id}/confirm`, {
      client_secret: intent.client_secret!,
      "payment_method_data[type]": "card",
      "payment_method_data[card][wallet][type]": "apple_pay",
    });
    expect(body.status).toBe("succeeded");
    const charge = await running.stripe.charges.list({ payment_intent: intent.id });
    expect(charge.data[0]!.payment_method_details!.card!.wallet!.type).toBe("apple_pay");
  });

  test.each([
    [CARD.declined, "card_declined", "generic_decline", "Your card was declined."],
    [CARD.insufficientFunds, "card_declined", "insufficient_funds", "Your card has insufficient funds."],
    [CARD.expired, "expired_card", undefined, "Your card has expired."],
    [CARD.wrongCvc, "incorrect_cvc", undefined, "Your card's security code is incorrect."],
  ])(
    "refuses %s with %s and lets the buyer try another card",
    async (number, code, decline_code, message) => {
      const intent = await create();
      const refused = await confirm(intent, number);
      expect(refused.status).toBe(402);
      expect(refused.body.error).toMatchObject({ type: "card_error", code, message });
      expect(refused.body.error.decline_code).toBe(decline_code);
      expect(refused.body.error.payment_intent).toMatchObject({
        id: intent.id,
        status: "requires_payment_method",
      });
      expect(refused.body.error.payment_intent).not.toHaveProperty("metadata");
      await eventOf(intent.id, "payment_intent.payment_failed");

      expect((await confirm(intent, CARD.success)).body.status).toBe("succeeded");
    },
  );

  test("throws the SDK's card error for a declined card", async () => {
    const intent = await create();
    const attempt = running.stripe.paymentIntents.confirm(intent.id, {
      payment_method: "pm_card_chargeDeclined",
    });
    await expect(attempt).rejects.toMatchObject({
      type: "StripeCardError",
      code: "card_declined",
      payment_intent: { id: intent.id, status: "requires_payment_method" },
    });
  });

  test.each([
    ["4242424242424241", "12", "2099", "123", "incorrect_number"],
    ["12", "12", "2099", "123", "invalid_number"],
    [CARD.success, "13", "2060", "123", "invalid_expiry_month"],
    [CARD.success, "12", "2020", "123", "invalid_expiry_year"],
    [CARD.success, "12", String(new Date().getUTCFullYear() + 1), "12", "invalid_cvc"],
    ["4111111111111111", "12", String(new Date().getUTCFullYear() + 1), "123", "card_declined"],
  ])("refuses the card %s %s/%s %s with %s", async (number, exp_month, exp_year, cvc, code) => {
    const intent = await create();
    const { status, body } = await confirm(intent, number, {
      "payment_method_data[card][exp_month]": exp_month,
      "payment_method_data[card][exp_year]": exp_year,
      "payment_method_data[card][cvc]": cvc,
    });
    expect(status).toBe(402);
    expect(body.error.code).toBe(code);
  });

  test("settles a late payment automatically", async () => {
    const intent = await create();
    expect((await confirm(intent, CARD.late)).body.status).toBe("processing");
    await eventOf(intent.id, "payment_intent.processing");
    await eventOf(intent.id, "payment_intent.succeeded");
    expect((await running.stripe.paymentIntents.retrieve(intent.id)).status).toBe("succeeded");
  });

  test("lets a late payment fail", async () => {
    const intent = await create();
    expect((await confirm(intent, CARD.lateThenDeclined)).body.status).toBe("processing");
    await eventOf(intent.id, "payment_intent.payment_failed");
    expect((await running.stripe.paymentIntents.retrieve(intent.id)).status).toBe("requires_payment_method");
  });

  test("takes the money once when many confirm at the same time", async () => {
    const intent = await create();
    const attempts = await Promise.all(Array.from({ length: 8 }, () => confirm(intent, CARD.success)));
    expect(attempts.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(400)]);
    const refused = attempts.find(({ status }) => status === 400)!;
    expect(refused.body.error).toMatchObject({ code: "payment_intent_unexpected_state" });
    expect(refused.body.error.payment_intent).not.toHaveProperty("metadata");
    expect((await running.stripe.charges.list({ payment_intent: intent.id })).data).toHaveLength(1);
  });

  test("pays at creation on request", async () => {
    const paid = await running.stripe.paymentIntents.create({
      amount: 5000,
      currency: "usd",
      confirm: true,
      payment_method: "pm_card_visa",
      allowed_payment_method_types: ["card"],
      expand: ["latest_charge"],
    });
    expect(paid).toMatchObject({ status: "succeeded", latest_charge: { paid: true } });
  });
});

describe("changing", () => {
  test("updates amount and metadata until the intent is paid", async () => {
    const intent = await create();
    const updated = await running.stripe.paymentIntents.update(intent.id, {
      amount: 100,
      metadata: { a: "b" },
    });
    expect(updated).toMatchObject({ amount: 100, metadata: { order_id: "o1", a: "b" } });
    await confirm(intent, CARD.success);
    await expect(running.stripe.paymentIntents.update(intent.id, { amount: 200 })).rejects.toMatchObject({
      code: "payment_intent_unexpected_state",
    });
    const noted = await running.stripe.paymentIntents.update(intent.id, { metadata: { order_id: "" } });
    expect(noted.metadata).toEqual({ a: "b" });
  });

  test("cancels an unpaid intent and refuses to cancel or pay it afterwards", async () => {
    const intent = await create();
    const cancelled = await running.stripe.paymentIntents.cancel(intent.id, {
      cancellation_reason: "abandoned",
    });
    expect(cancelled).toMatchObject({ status: "canceled", cancellation_reason: "abandoned" });
    await eventOf(intent.id, "payment_intent.canceled");
    await expect(running.stripe.paymentIntents.cancel(intent.id)).rejects.toMatchObject({ statusCode: 400 });
    expect((await confirm(intent, CARD.success)).status).toBe(400);
  });

  test("lists newest first, page by page, and by time", async () => {
    const made = [];
    for (let count = 0; count < 3; count++) made.push((await create()).id);
    const page = await running.stripe.paymentIntents.list({ limit: 2 });
    expect(page.data.map(({ id }) => id)).toEqual([made[2], made[1]]);
    expect(page.has_more).toBe(true);
    const next = await running.stripe.paymentIntents.list({ limit: 1, starting_after: made[1] });
    expect(next.data[0]!.id).toBe(made[0]);
    const back = await running.stripe.paymentIntents.list({ limit: 2, ending_before: made[0] });
    expect(back.data.map(({ id }) => id)).toEqual([made[2], made[1]]);
    const since = Math.floor(Date.now() / 1000) + 60;
    expect((await running.stripe.paymentIntents.list({ created: { gte: since } })).data).toEqual([]);
  });
});

describe("refusing", () => {
  test.each([
    [{ amount: 49 }, "amount_too_small"],
    [{ amount: 10.5 }, "parameter_invalid_integer"],
    [{ amount: -100 }, "parameter_invalid_integer"],
    [{ amount: 100_000_000 }, "amount_too_large"],
    [{ amount: undefined }, "parameter_missing"],
    [{ currency: "zzz" }, undefined],
    [{ color: "red" }, "parameter_unknown"],
  ])("does not create an intent with %j", async (wrong, code) => {
    const wanted = { amount: 1000, currency: "usd", ...wrong } as { amount: number; currency: string };
    await expect(running.stripe.paymentIntents.create(wanted)).rejects.toMatchObject({
      type: "StripeInvalidRequestError",
      statusCode: 400,
      ...(code && { code }),
    });
  });

  test("accepts no other keys, and reports that as Stripe does", async () => {
    const stranger = connect(running.origin, { key: "sk_live_4eC39HqLyjWDarjtT1zdp7dc" });
    await expect(stranger.paymentIntents.list()).rejects.toMatchObject({
      type: "StripeAuthenticationError",
      statusCode: 401,
      message: expect.stringContaining("Invalid API Key provided: sk_live_****"),
    });
    expect((await fetch(`${running.origin}/v1/payment_intents`)).status).toBe(401);
  });

  test("gives a browser its own intent and nothing else", async () => {
    const intent = await create();
    const path = `/v1/payment_intents/${intent.id}`;
    const own = await running.browser("GET", path, { client_secret: intent.client_secret! });
    expect(own.body).toMatchObject({ id: intent.id, amount: 9000 });
    expect(own.body).not.toHaveProperty("metadata");
    expect((await running.browser("GET", path)).status).toBe(400);
    expect((await running.browser("GET", path, { client_secret: "pi_x_secret_y" })).status).toBe(400);
    expect((await running.browser("GET", "/v1/payment_intents")).status).toBe(401);
    const cancel = await running.browser("POST", `${path}/cancel`, { client_secret: intent.client_secret! });
    expect(cancel.status).toBe(401);
  });

  test("answers 404 for an unknown intent", async () => {
    await expect(running.stripe.paymentIntents.retrieve("pi_none")).rejects.toMatchObject({
      statusCode: 404,
      code: "resource_missing",
      message: "No such payment_intent: 'pi_none'",
      requestId: expect.stringMatching(/^req_/),
    });
    expect((await running.browser("GET", "/v1/customers")).status).toBe(404);
  });

  test("answers 400 to JSON and to an unknown expansion", async () => {
    const response = await fetch(`${running.origin}/v1/payment_intents`, {
      method: "POST",
      headers: { authorization: "Bearer sk_test_sandbox_1", "content-type": "application/json" },
      body: "{}",
    });
    expect(response.status).toBe(400);
    const intent = await create();
    await expect(
      running.stripe.paymentIntents.retrieve(intent.id, { expand: ["customer.cards"] }),
    ).rejects.toMatchObject({ statusCode: 400 });
  });
});
