import { expect, it } from "vitest";
import { refundWords } from "./finish-payment.ts";

it.each([
  ["sold_out", "had sold out"],
  ["too_many_tickets", "more than one buyer may have"],
  ["amount_differs", "not the amount of this order"],
  ["currency_differs", "not in US dollars"],
  ["order_cancelled", "had been cancelled"],
  ["paid_twice", "already paid"],
  ["another_reason", "could not be fulfilled"],
  [undefined, "could not be fulfilled"],
])("explains that a payment refunded for %s %s", (reason, words) => {
  expect(refundWords(reason)).toContain(words);
  expect(refundWords(reason)).toMatch(/Your payment is being refunded in full\.$/);
});
