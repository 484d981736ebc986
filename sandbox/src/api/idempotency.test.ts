import { expect, onTestFinished, test, vi } from "vitest";
import { CARD, cardForm, connect, openSandbox, useSandbox } from "../../testing/sandbox.ts";

const { db, shop, running } = await useSandbox();

const wanted = { amount: 4500, currency: "usd" };

test("repeats the same answer for the same key", async () => {
  const first = await running.stripe.paymentIntents.create(wanted, { idempotencyKey: "same" });
  const again = await running.stripe.paymentIntents.create(wanted, { idempotencyKey: "same" });
  expect(again.id).toBe(first.id);
  expect(again.lastResponse.headers["idempotent-replayed"]).toBe("true");
  expect(first.lastResponse.headers["idempotent-replayed"]).toBeUndefined();
});

test("refuses other parameters under the same key", async () => {
  await running.stripe.paymentIntents.create(wanted, { idempotencyKey: "other" });
  const different = running.stripe.paymentIntents.create(
    { ...wanted, amount: 4600 },
    { idempotencyKey: "other" },
  );
  await expect(different).rejects.toMatchObject({ type: "StripeIdempotencyError", statusCode: 400 });
});

test("keeps a refusal by the card under its key, but not a refusal of the parameters", async () => {
  const intent = await running.stripe.paymentIntents.create(wanted);
  const decline = () =>
    running.stripe.paymentIntents.confirm(
      intent.id,
      { payment_method: "pm_card_chargeDeclined" },
      { idempotencyKey: "declined" },
    );
  await expect(decline()).rejects.toMatchObject({ code: "card_declined" });
  await expect(decline()).rejects.toMatchObject({
    code: "card_declined",
    headers: { "idempotent-replayed": "true" },
  });
  expect((await running.stripe.charges.list({ payment_intent: intent.id })).data).toHaveLength(1);

  const small = running.stripe.paymentIntents.create({ ...wanted, amount: 1 }, { idempotencyKey: "mended" });
  await expect(small).rejects.toMatchObject({ code: "amount_too_small" });
  const mended = await running.stripe.paymentIntents.create(wanted, { idempotencyKey: "mended" });
  expect(mended.amount).toBe(4500);
});

test("creates one intent for many concurrent requests with one key; the others must wait or get the same", async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 12 }, () =>
      running.stripe.paymentIntents.create(wanted, { idempotencyKey: "crowd" }),
    ),
  );
  const ids = new Set(
    outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value.id] : [])),
  );
  expect(ids.size).toBe(1);
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ statusCode: 409 });
  }
});

test("answers 409 while the first request with the key is in progress", async () => {
  const intent = await running.stripe.paymentIntents.create(wanted);
  const holding = db.database.asService("a test holds the intent's lock");
  await holding.transaction(async (tx) => {
    await tx.query("select from payments_sandbox.objects where id = $1 for update", [intent.id]);
    const confirm = () =>
      running.stripe.paymentIntents.confirm(
        intent.id,
        { payment_method: "pm_card_visa" },
        { idempotencyKey: "busy" },
      );
    const first = confirm();
    await expect
      .poll(async () => {
        const { rows } = await tx.query(
          `select count(*)::int as n from pg_locks join pg_database d on d.oid = database
            where datname = current_database() and locktype = 'advisory'`,
        );
        return rows[0]!.n;
      })
      .toBeGreaterThan(0);
    await expect(confirm()).rejects.toMatchObject({ statusCode: 409 });
    await tx.query("commit");
    expect((await first).status).toBe("succeeded");
  });
});

test("finds the work done, once, on a retry after a lost answer", async () => {
  const posts = { times: 1, matches: (request: Request) => request.method === "POST" };
  const stripe = connect(running.origin, { retries: 2 });
  const intent = await stripe.paymentIntents.create(wanted);
  running.sandbox.injectFault({ kind: "answer_lost", status: 502, ...posts });
  const paid = await stripe.paymentIntents.confirm(intent.id, { payment_method: "pm_card_visa" });
  expect(paid.status).toBe("succeeded");
  expect(paid.lastResponse.headers["idempotent-replayed"]).toBe("true");
  expect((await stripe.charges.list({ payment_intent: intent.id })).data).toHaveLength(1);

  // The SDK does not retry when a response breaks off, so its caller does, with the same key.
  const silent = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => silent.mockRestore());
  running.sandbox.injectFault({ kind: "answer_lost", ...posts });
  const give = () => stripe.refunds.create({ payment_intent: intent.id }, { idempotencyKey: "give back" });
  await expect(give()).rejects.toMatchObject({ type: "StripeConnectionError" });
  expect((await give()).amount).toBe(4500);
  expect((await stripe.refunds.list({ payment_intent: intent.id })).data).toHaveLength(1);
});

test("a retry survives an injected 500 and a slow answer; 429 is an error", async () => {
  running.sandbox.injectFault({ kind: "refused", status: 500, times: 1 });
  running.sandbox.injectFault({ kind: "slow", milliseconds: 30, times: 1 });
  const stripe = connect(running.origin, { retries: 1 });
  expect((await stripe.paymentIntents.create(wanted)).status).toBe("requires_payment_method");
  running.sandbox.injectFault({ kind: "refused", status: 429 });
  await expect(running.stripe.paymentIntents.create(wanted)).rejects.toMatchObject({
    type: "StripeRateLimitError",
  });
  running.sandbox.clearFaults();
  expect((await running.stripe.paymentIntents.create(wanted)).object).toBe("payment_intent");
});

test("two sandboxes on one database see the same intents and keys", async () => {
  const other = await openSandbox(db.database, shop.url, { start: false });
  try {
    const intent = await running.stripe.paymentIntents.create(wanted, { idempotencyKey: "shared" });
    expect((await other.stripe.paymentIntents.create(wanted, { idempotencyKey: "shared" })).id).toBe(
      intent.id,
    );
    const { body } = await other.browser("POST", `/v1/payment_intents/${intent.id}/confirm`, {
      client_secret: intent.client_secret!,
      ...cardForm(CARD.success),
    });
    expect(body.status).toBe("succeeded");
    expect((await running.stripe.paymentIntents.retrieve(intent.id)).status).toBe("succeeded");
  } finally {
    await other.close();
  }
});
