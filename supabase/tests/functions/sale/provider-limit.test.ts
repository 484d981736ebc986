// A crowd orders faster than the payment provider takes calls: it answers 429, orders wait for it, and none fails.
import { afterEach, expect, it } from "vitest";
import { cartOf } from "../../../../shop/testing/cart.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

const { world, shop } = await openShop();
afterEach(() => world.sandbox.clearFaults());

const isNewIntent = ({ method, url }: Request) => method === "POST" && url.endsWith("/v1/payment_intents");
const isLookUp = ({ method, url }: Request) => method === "GET" && url.includes("/v1/payment_intents/");

/** As Stripe limits each operation: so many calls in any second. */
function atMost(calls: number, isLimited: (request: Request) => boolean) {
  const taken: number[] = [];
  const refused: Request[] = [];
  world.sandbox.injectFault({
    kind: "refused",
    status: 429,
    matches(request) {
      if (!isLimited(request)) return false;
      const now = performance.now();
      while (taken.length > 0 && taken[0]! < now - 1000) taken.shift();
      if (taken.length >= calls) return refused.push(request) > 0;
      taken.push(now);
      return false;
    },
  });
  return refused;
}

const buyers = (count: number) => Promise.all(Array.from({ length: count }, () => world.newUser()));
const order = (as: string) => world.call("create-payment-intent", { as, body: cartOf([shop.general, 1]) });

it("opens every payment, each once, a little later", async () => {
  const refused = atMost(25, isNewIntent);
  const answers = await Promise.all((await buyers(60)).map(order));
  expect(refused.length).toBeGreaterThan(0);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(new Set(answers.map(({ body }) => body.paymentIntentId)).size).toBe(60);
});

it("confirms every paid order", async () => {
  const people = await buyers(40);
  const placed = await Promise.all(people.map(order));
  for (const { body } of placed)
    await world.stripe.paymentIntents.confirm(body.paymentIntentId, { payment_method: "pm_card_visa" });
  const refused = atMost(25, isLookUp);
  const answers = await Promise.all(
    people.map((as, nth) =>
      world.call("process-payment", {
        as,
        body: { paymentIntentId: placed[nth]!.body.paymentIntentId },
      }),
    ),
  );
  expect(refused.length).toBeGreaterThan(0);
  expect(answers.map(({ body }) => body.success)).toEqual(people.map(() => true));
});

it(
  "asks a buyer whose turn would come too late to try again, and keeps the tickets",
  { timeout: 30_000 },
  async () => {
    atMost(0, isNewIntent);
    const [as] = await buyers(1);
    const options = { as: as!, body: cartOf([shop.general, 1]), headers: { "idempotency-key": "in-a-rush" } };
    const busy = await world.call("create-payment-intent", options);
    expect(busy).toMatchObject({
      status: 429,
      body: { error: { code: "rate_limited", details: { retry_after_seconds: 5 } } },
    });
    world.sandbox.clearFaults();
    const [held] = await world.sql(
      "select id from public.orders where user_id = $1 and status = 'pending'",
      as,
    );
    expect(await world.call("create-payment-intent", options)).toMatchObject({
      status: 200,
      body: { orderId: held!.id },
    });
  },
);
