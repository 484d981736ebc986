import { expect, test } from "vitest";
import { until, useSandbox } from "../../testing/sandbox.ts";

const { shop, running } = await useSandbox();

const paid = (amount = 9000) =>
  running.stripe.paymentIntents.create({
    amount,
    currency: "usd",
    confirm: true,
    payment_method: "pm_card_visa",
  });

test("refunds the full amount and notifies the shop", async () => {
  const intent = await paid();
  const refund = await running.stripe.refunds.create({
    payment_intent: intent.id,
    reason: "requested_by_customer",
    metadata: { order_id: "o1" },
    expand: ["charge"],
  });
  expect(refund).toMatchObject({
    status: "succeeded",
    amount: 9000,
    charge: { refunded: true, amount_refunded: 9000 },
  });
  expect(await running.stripe.refunds.retrieve(refund.id)).toMatchObject({ metadata: { order_id: "o1" } });
  const listed = await running.stripe.refunds.list({ payment_intent: intent.id });
  expect(listed.data.map(({ id }) => id)).toEqual([refund.id]);
  const event = await until(() => shop.events.find(({ type }) => type === "charge.refunded"));
  expect(event.data).toMatchObject({
    object: { id: intent.latest_charge },
    previous_attributes: { amount_refunded: 0 },
  });
  await until(() => shop.events.find(({ type }) => type === "refund.updated"));
});

test("refunds partial amounts, never more than is left", async () => {
  const intent = await paid();
  await running.stripe.refunds.create({ charge: intent.latest_charge as string, amount: 4000 });
  const tooMuch = running.stripe.refunds.create({ payment_intent: intent.id, amount: 5001 });
  await expect(tooMuch).rejects.toMatchObject({
    statusCode: 400,
    message: "Refund amount ($50.01) is greater than unrefunded amount on charge ($50.00)",
  });
  expect((await running.stripe.refunds.create({ payment_intent: intent.id })).amount).toBe(5000);
  await expect(running.stripe.refunds.create({ payment_intent: intent.id })).rejects.toMatchObject({
    code: "charge_already_refunded",
  });
});

test("never refunds more than the charge under concurrent requests", async () => {
  const intent = await paid(1000);
  const asked = await Promise.allSettled(
    Array.from({ length: 10 }, () =>
      running.stripe.refunds.create({ payment_intent: intent.id, amount: 300 }),
    ),
  );
  expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  const charge = await running.stripe.charges.retrieve(intent.latest_charge as string);
  expect(charge).toMatchObject({ amount_refunded: 900, refunded: false });
});

test("refuses a refund of nothing, of an unpaid intent and of an unknown one", async () => {
  const intent = await paid();
  const unpaid = await running.stripe.paymentIntents.create({ amount: 500, currency: "usd" });
  for (const wrong of [
    { payment_intent: intent.id, amount: 0 },
    { payment_intent: intent.id, amount: -1 },
    { payment_intent: unpaid.id },
    {},
  ]) {
    await expect(running.stripe.refunds.create(wrong)).rejects.toMatchObject({ statusCode: 400 });
  }
  await expect(running.stripe.refunds.create({ charge: "ch_none" })).rejects.toMatchObject({
    statusCode: 404,
  });
});
