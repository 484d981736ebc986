import { expect, test } from "vitest";
import { CARD, until, useSandbox } from "../../testing/sandbox.ts";

const { db, shop, running } = await useSandbox();

const create = () =>
  running.stripe.checkout.sessions.create({
    mode: "payment",
    line_items: [
      {
        price_data: { currency: "usd", unit_amount: 4500, product_data: { name: "General <Admission>" } },
        quantity: 2,
      },
    ],
    success_url: "https://shop.example/order-confirmation?session_id={CHECKOUT_SESSION_ID}",
    cancel_url: "https://shop.example/checkout",
    metadata: { order_id: "o1" },
    payment_intent_data: { metadata: { order_id: "o1" } },
  });

const pay = (url: string, number: string) =>
  fetch(url, {
    method: "POST",
    body: new URLSearchParams({ number, exp_month: "12", exp_year: "40", cvc: "123", name: "A Buyer" }),
    redirect: "manual",
  });

const eventOf = (id: string, type: string) =>
  until(() =>
    shop.events.find((event) => event.type === type && (event.data.object as { id: string }).id === id),
  );

test("shows the page, takes the payment and sends the buyer to the shop", async () => {
  const session = await create();
  expect(session).toMatchObject({
    status: "open",
    payment_status: "unpaid",
    amount_total: 9000,
    payment_intent: null,
  });
  const page = await (await fetch(session.url!)).text();
  expect(page).toContain("General &lt;Admission&gt;");
  expect(page).toContain("$90.00");

  const done = await pay(session.url!, CARD.success);
  expect(done.status).toBe(303);
  const back = await fetch(done.headers.get("location")!, { redirect: "manual" });
  expect(back.headers.get("location")).toBe(
    `https://shop.example/order-confirmation?session_id=${session.id}`,
  );

  const paid = await running.stripe.checkout.sessions.retrieve(session.id, {
    expand: ["payment_intent.latest_charge"],
  });
  expect(paid).toMatchObject({
    status: "complete",
    payment_status: "paid",
    payment_intent: { status: "succeeded", metadata: { order_id: "o1" }, latest_charge: { paid: true } },
  });
  await eventOf(session.id, "checkout.session.completed");
});

test("shows why a card was refused and takes the next one on the same intent", async () => {
  const session = await create();
  const refused = await pay(session.url!, CARD.declined);
  expect(await (await fetch(refused.headers.get("location")!)).text()).toContain("Your card was declined.");
  const misspelt = await pay(session.url!, "4242424242424241");
  expect(await misspelt.text()).toContain("Your card number is incorrect.");
  const { payment_intent: first } = await running.stripe.checkout.sessions.retrieve(session.id);
  await pay(session.url!, CARD.success);
  const paid = await running.stripe.checkout.sessions.retrieve(session.id);
  expect(paid).toMatchObject({ status: "complete", payment_intent: first });
});

test("goes through the challenge and completes", async () => {
  const session = await create();
  const challenge = (await pay(session.url!, CARD.challenge)).headers.get("location")!;
  const back = await fetch(challenge, {
    method: "POST",
    body: new URLSearchParams({ outcome: "complete" }),
    redirect: "manual",
  });
  expect(new URL(back.headers.get("location")!).pathname).toBe(`/payments-sandbox/checkout/${session.id}`);
  expect(await running.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
    payment_status: "paid",
  });
});

test("completes unpaid with a late card and is paid later", async () => {
  const session = await create();
  await pay(session.url!, CARD.late);
  expect((await eventOf(session.id, "checkout.session.completed")).data.object).toMatchObject({
    payment_status: "unpaid",
  });
  await eventOf(session.id, "checkout.session.async_payment_succeeded");
});

test("expires on request, with the payment in progress, and cannot be paid afterwards", async () => {
  const session = await create();
  await pay(session.url!, CARD.challenge);
  const expired = await running.stripe.checkout.sessions.expire(session.id);
  expect(expired).toMatchObject({ status: "expired", url: null });
  await eventOf(session.id, "checkout.session.expired");
  const intent = await running.stripe.paymentIntents.retrieve(expired.payment_intent as string);
  expect(intent.status).toBe("canceled");
  await pay(session.url!, CARD.success);
  expect((await fetch(session.url!)).status).toBe(410);
  await expect(running.stripe.checkout.sessions.expire(session.id)).rejects.toMatchObject({
    statusCode: 400,
  });
});

test("expires automatically when its time is up", async () => {
  const session = await create();
  await db.database
    .asService("a test moves time")
    .query("update payments_sandbox.objects set due_at = now() - interval '1 second' where id = $1", [
      session.id,
    ]);
  await running.stripe.paymentIntents.create({ amount: 500, currency: "usd" }); // any write wakes the sandbox
  await eventOf(session.id, "checkout.session.expired");
});
