import { expect, test } from "vitest";
import { CARD, cardForm, until, useSandbox } from "../../testing/sandbox.ts";

const { shop, running } = await useSandbox();

const RETURN = "https://shop.example/dashboard?from=checkout";

async function challenged(number: string, more: Record<string, string> = {}) {
  const intent = await running.stripe.paymentIntents.create({ amount: 9000, currency: "usd" });
  const { body } = await running.browser("POST", `/v1/payment_intents/${intent.id}/confirm`, {
    client_secret: intent.client_secret!,
    ...cardForm(number),
    ...more,
  });
  expect(body.status).toBe("requires_action");
  const url: string = body.next_action.redirect_to_url?.url ?? body.next_action.use_stripe_sdk.stripe_js;
  return { id: intent.id, secret: intent.client_secret!, url, action: body.next_action };
}

const answer = (url: string, outcome: "complete" | "fail") =>
  fetch(url, { method: "POST", body: new URLSearchParams({ outcome }), redirect: "manual" });

test("sends the buyer to the challenge and back to the shop, paid", async () => {
  const { id, secret, url, action } = await challenged(CARD.challenge, { return_url: RETURN });
  expect(action).toMatchObject({ type: "redirect_to_url", redirect_to_url: { return_url: RETURN } });

  const page = await fetch(url);
  expect(await page.text()).toMatch(/sandbox[\s\S]*\$90\.00[\s\S]*Complete[\s\S]*Fail/i);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");

  const back = new URL((await answer(url, "complete")).headers.get("location")!);
  expect(back.origin + back.pathname).toBe("https://shop.example/dashboard");
  expect(Object.fromEntries(back.searchParams)).toEqual({
    from: "checkout",
    payment_intent: id,
    payment_intent_client_secret: secret,
    redirect_status: "succeeded",
  });
  expect((await running.stripe.paymentIntents.retrieve(id)).status).toBe("succeeded");
  await until(() => shop.events.some((event) => event.type === "payment_intent.requires_action"));
});

test("works in a frame: notifies the page around it, and can be polled", async () => {
  const { id, secret, url, action } = await challenged(CARD.challenge);
  expect(action.type).toBe("use_stripe_sdk");
  const done = await answer(url, "complete");
  expect(await done.text()).toContain(`"payment_intent":"${id}","status":"succeeded"`);
  expect(done.headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
  const polled = await running.browser("GET", `/v1/payment_intents/${id}`, { client_secret: secret });
  expect(polled.body.status).toBe("succeeded");
});

test("a failed challenge takes no money and lets the buyer try again", async () => {
  const { id, url } = await challenged(CARD.challenge, { return_url: RETURN });
  const back = await answer(url, "fail");
  expect(back.headers.get("location")).toContain("redirect_status=failed");
  const intent = await running.stripe.paymentIntents.retrieve(id);
  expect(intent).toMatchObject({ status: "requires_payment_method", amount_received: 0 });
  expect(intent.last_payment_error!.code).toBe("payment_intent_authentication_failure");
});

test("declines after a challenge that was passed", async () => {
  const { id, url } = await challenged(CARD.challengeThenDeclined);
  expect(await (await answer(url, "complete")).text()).toContain("Your card was declined.");
  const intent = await running.stripe.paymentIntents.retrieve(id);
  expect(intent.last_payment_error!.code).toBe("card_declined");
});

test("takes only the first answer to a challenge", async () => {
  const { id, url } = await challenged(CARD.challenge);
  await Promise.all([answer(url, "complete"), answer(url, "complete"), answer(url, "complete")]);
  await answer(url, "fail");
  expect((await running.stripe.paymentIntents.retrieve(id)).status).toBe("succeeded");
  expect((await running.stripe.charges.list({ payment_intent: id })).data).toHaveLength(1);
});

test("neither shows nor accepts a challenge without the intent's secret", async () => {
  const { id, url } = await challenged(CARD.challenge);
  const wrong = url.replace(/client_secret=[^&]*/, "client_secret=guess");
  expect((await fetch(wrong)).status).toBe(404);
  expect((await answer(wrong, "complete")).status).toBe(404);
  expect((await running.stripe.paymentIntents.retrieve(id)).status).toBe("requires_action");
});
