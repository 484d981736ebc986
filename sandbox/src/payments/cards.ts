// Stripe's test cards: how each number behaves, and the checks that come first. Only the last four digits leave this file,
// so that no card number is ever stored.
import type { Card, DeclineName, Scenario } from "../store/card.ts";
import type { Parameters } from "../wire/parameters.ts";
import { type ErrorBody, invalidRequest, ProviderError } from "../wire/provider-error.ts";

const YOUR_CARD_WAS_DECLINED = "Your card was declined.";
const DECLINES = {
  generic_decline: {
    code: "card_declined",
    decline_code: "generic_decline",
    message: YOUR_CARD_WAS_DECLINED,
  },
  insufficient_funds: {
    code: "card_declined",
    decline_code: "insufficient_funds",
    message: "Your card has insufficient funds.",
  },
  lost_card: { code: "card_declined", decline_code: "lost_card", message: YOUR_CARD_WAS_DECLINED },
  stolen_card: { code: "card_declined", decline_code: "stolen_card", message: YOUR_CARD_WAS_DECLINED },
  live_card: {
    code: "card_declined",
    decline_code: "test_mode_live_card",
    message: "Your card was declined. Your request was in test mode, but used a non test (live) card.",
  },
  expired_card: { code: "expired_card", message: "Your card has expired." },
  incorrect_cvc: { code: "incorrect_cvc", message: "Your card's security code is incorrect." },
  processing_error: {
    code: "processing_error",
    message: "An error occurred while processing your card. Try again in a little bit.",
  },
} as const satisfies Readonly<Record<DeclineName, object>>;

const SUCCEEDS: Scenario = { answers: "now" };
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "4242424242424242": SUCCEEDS,
  "5555555555554444": SUCCEEDS,
  "378282246310005": SUCCEEDS,
  "6011111111111117": SUCCEEDS,
  "4000000000000002": { answers: "now", decline: "generic_decline" },
  "4000000000009995": { answers: "now", decline: "insufficient_funds" },
  "4000000000009987": { answers: "now", decline: "lost_card" },
  "4000000000009979": { answers: "now", decline: "stolen_card" },
  "4000000000000069": { answers: "now", decline: "expired_card" },
  "4000000000000127": { answers: "now", decline: "incorrect_cvc" },
  "4000000000000119": { answers: "now", decline: "processing_error" },
  "4000002500003155": { answers: "after_challenge" },
  "4000002760003184": { answers: "after_challenge" },
  "4000008400001629": { answers: "after_challenge", decline: "generic_decline" },
  "4000000000000077": { answers: "later" },
  "4000000000002685": { answers: "now", dispute: "product_not_received" },
  "4000000000000259": { answers: "later", decline: "generic_decline" },
};

/** The names under which Stripe offers test cards to code that has no card form. */
const TEST_PAYMENT_METHODS: Readonly<Record<string, string>> = {
  pm_card_visa: "4242424242424242",
  pm_card_mastercard: "5555555555554444",
  pm_card_chargeDeclined: "4000000000000002",
  pm_card_chargeDeclinedInsufficientFunds: "4000000000009995",
  pm_card_chargeDeclinedExpiredCard: "4000000000000069",
  pm_card_chargeDeclinedIncorrectCvc: "4000000000000127",
  pm_card_authenticationRequired: "4000002760003184",
  pm_card_bypassPending: "4000000000000077",
  pm_card_createDisputeProductNotReceived: "4000000000002685",
};

/** The API's error for a decline, without the intent it belongs to. */
export const declineError = (decline: DeclineName): ErrorBody => ({
  type: "card_error",
  ...DECLINES[decline],
});

/** Reads `payment_method_data` or the name of a test payment method; undefined when neither was sent. */
export function readCard(parameters: Parameters, now: Date): Card | undefined {
  const name = parameters.text("payment_method");
  const sent = parameters.nested("payment_method_data");
  if (name !== undefined && sent) {
    throw invalidRequest("You can only pass one of payment_method and payment_method_data.", {
      param: "payment_method",
    });
  }
  if (name !== undefined) {
    const number = TEST_PAYMENT_METHODS[name];
    if (number === undefined) {
      const message = `No such PaymentMethod: '${name}'`;
      throw invalidRequest(message, { code: "resource_missing", param: "payment_method" });
    }
    return toCard(number, 12, now.getUTCFullYear() + 3, null, noBilling);
  }
  return sent && readSentCard(sent, now);
}

function readSentCard(sent: Parameters, now: Date): Card {
  if (sent.requiredText("type") !== "card") {
    throw invalidRequest("The payments sandbox takes cards only.", { param: "payment_method_data[type]" });
  }
  sent.text("allow_redisplay");
  const billing = readBilling(sent.nested("billing_details"));
  const card = sent.nested("card");
  const wallet = card?.nested("wallet")?.choice("type", ["apple_pay", "google_pay"]) ?? null;
  // A wallet sends a device account number that only the network can read, so there is no card data to check.
  if (wallet) return toCard("4242424242424242", 12, now.getUTCFullYear() + 3, wallet, billing);

  const number = (card?.text("number") ?? "").replace(/[\s-]/g, "");
  const month = Number(card?.text("exp_month") ?? NaN);
  const year = fullYear(Number(card?.text("exp_year") ?? NaN));
  checkNumber(number);
  checkExpiry(month, year, now);
  checkCvc(number, card?.text("cvc") ?? "");
  return toCard(number, month, year, wallet, billing);
}

const noBilling: Card["billing"] = { name: null, email: null, phone: null };

function readBilling(billing: Parameters | undefined): Card["billing"] {
  if (!billing) return noBilling;
  const address = billing.nested("address");
  for (const line of ["line1", "line2", "city", "state", "postal_code", "country"]) address?.text(line);
  return {
    name: billing.text("name") ?? null,
    email: billing.text("email") ?? null,
    phone: billing.text("phone") ?? null,
  };
}

function toCard(
  number: string,
  month: number,
  year: number,
  wallet: Card["wallet"],
  billing: Card["billing"],
): Card {
  return {
    brand: brandOf(number),
    last4: number.slice(-4),
    exp_month: month,
    exp_year: year,
    wallet,
    billing,
    // A number that is not a test card may be a real one.
    scenario: SCENARIOS[number] ?? { answers: "now", decline: "live_card" },
  };
}

function brandOf(number: string): Card["brand"] {
  if (/^3[47]/.test(number)) return "amex";
  if (/^(5[1-5]|2[2-7])/.test(number)) return "mastercard";
  return number.startsWith("6") ? "discover" : "visa";
}

function checkNumber(number: string): void {
  if (!/^\d{12,19}$/.test(number)) throw refused("invalid_number", "number", "Your card number is invalid.");
  if (!passesLuhn(number)) throw refused("incorrect_number", "number", "Your card number is incorrect.");
}

function checkExpiry(month: number, year: number, now: Date): void {
  if (!Number.isInteger(month) || month < 1 || month > 12) {
    throw refused("invalid_expiry_month", "exp_month", "Your card's expiration month is invalid.");
  }
  const thisYear = now.getUTCFullYear();
  if (!Number.isInteger(year) || year < thisYear || year > thisYear + 50) {
    throw refused("invalid_expiry_year", "exp_year", "Your card's expiration year is invalid.");
  }
  if (year === thisYear && month < now.getUTCMonth() + 1) {
    throw refused("invalid_expiry_month", "exp_month", "Your card's expiration month is invalid.");
  }
}

function checkCvc(number: string, cvc: string): void {
  const digits = brandOf(number) === "amex" ? 4 : 3;
  if (!/^\d+$/.test(cvc) || cvc.length !== digits) {
    throw refused("invalid_cvc", "cvc", "Your card's security code is invalid.");
  }
}

const fullYear = (year: number): number => (year >= 0 && year < 100 ? 2000 + year : year);

function passesLuhn(number: string): boolean {
  const sum = [...number].toReversed().reduce((total, digit, index) => {
    const value = index % 2 === 1 ? Number(digit) * 2 : Number(digit);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

const refused = (code: string, param: string, message: string) =>
  new ProviderError(402, { type: "card_error", code, message, param });
