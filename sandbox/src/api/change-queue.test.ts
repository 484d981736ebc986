import { expect, test } from "vitest";
import { useSandbox } from "../../testing/sandbox.ts";

const { running } = await useSandbox();
const { paymentIntents } = running.stripe;

const newIntent = () => paymentIntents.create({ amount: 4500, currency: "usd" });
const pay = async (id: string) => {
  try {
    return (await paymentIntents.confirm(id, { payment_method: "pm_card_visa" })).status;
  } catch (error) {
    return (error as { code: string }).code;
  }
};
const cancel = (id: string) =>
  paymentIntents.cancel(id).then(
    ({ status }) => status,
    (error: { code: string }) => error.code,
  );

test("of changes that arrive together, each has its own outcome, and those of one object follow each other", async () => {
  const intents = await Promise.all(Array.from({ length: 6 }, newIntent));
  const [alone, paid, one, other, contested, missing] = intents.map(({ id }) => id);
  await pay(paid!);
  const outcomes = await Promise.all([
    pay(alone!),
    pay(paid!),
    pay(one!),
    pay(contested!),
    cancel(contested!),
    cancel(contested!),
    pay(`${missing}_not`),
    pay(other!),
  ]);
  const [first, refused, second, ...rest] = outcomes;
  expect([first, refused, second]).toEqual(["succeeded", "payment_intent_unexpected_state", "succeeded"]);
  // Whichever came first, the other two found it done.
  expect(rest.slice(0, 3).filter((outcome) => outcome === "payment_intent_unexpected_state")).toHaveLength(2);
  expect(rest.slice(3)).toEqual(["resource_missing", "succeeded"]);
});
