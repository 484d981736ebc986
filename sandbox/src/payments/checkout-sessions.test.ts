import { expect, test } from "vitest";
import { CARD, cardForm, useSandbox } from "../../testing/sandbox.ts";

const { running } = await useSandbox();
const { sessions } = running.stripe.checkout;

const create = () =>
  sessions.create({
    mode: "payment",
    line_items: [{ price_data: { currency: "usd", unit_amount: 9000, product_data: { name: "The order" } } }],
    success_url: "https://shop.example/order-confirmation?session_id={CHECKOUT_SESSION_ID}",
    payment_intent_data: { metadata: { order_id: "o1" } },
  });

/** Confirms the session's intent, which is the newest. */
async function pay(card: string) {
  const [intent] = (await running.stripe.paymentIntents.list({ limit: 1 })).data;
  const form = { client_secret: intent!.client_secret!, ...cardForm(card) };
  return running.browser("POST", `/v1/payment_intents/${intent!.id}/confirm`, form);
}

test("names its intent once somebody has tried to pay, and is complete once it is paid", async () => {
  const { id, ...session } = await create();
  expect(session).toMatchObject({
    status: "open",
    payment_status: "unpaid",
    amount_total: 9000,
    payment_intent: null,
  });
  await pay(CARD.declined);
  const tried = await sessions.retrieve(id, { expand: ["payment_intent"] });
  expect(tried).toMatchObject({ status: "open", payment_intent: { status: "requires_payment_method" } });
  await pay(CARD.success);
  expect(await sessions.retrieve(id, { expand: ["payment_intent.latest_charge"] })).toMatchObject({
    status: "complete",
    payment_status: "paid",
    payment_intent: { status: "succeeded", metadata: { order_id: "o1" }, latest_charge: { paid: true } },
  });
});

test("is complete but unpaid while a late card settles", async () => {
  const { id } = await create();
  await pay(CARD.late);
  expect(await sessions.retrieve(id)).toMatchObject({ status: "complete", payment_status: "unpaid" });
});

test("refuses a session that does not exist", async () => {
  await expect(sessions.retrieve("cs_test_nothing")).rejects.toMatchObject({ statusCode: 404 });
});
