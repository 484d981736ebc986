// Amounts and currencies as Stripe takes them: whole numbers of the smallest unit, lower-case codes.
import type { Parameters } from "./parameters.ts";
import { invalidRequest } from "./provider-error.ts";

const SMALLEST = 50;
const LARGEST = 99_999_999;
const CURRENCIES = ["usd", "cad", "eur", "gbp", "mxn"];

/** Throws ProviderError for an amount that cannot be charged. */
export function readAmount(parameters: Parameters, name: string): number | undefined {
  const amount = parameters.integer(name);
  if (amount === undefined) return undefined;
  if (amount < 1) {
    const message = "This value must be greater than or equal to 1.";
    throw invalidRequest(message, { code: "parameter_invalid_integer", param: name });
  }
  if (amount < SMALLEST) {
    throw invalidRequest("Amount must be at least $0.50 usd", { code: "amount_too_small", param: name });
  }
  if (amount > LARGEST) {
    throw invalidRequest("Amount must be no more than $999,999.99", {
      code: "amount_too_large",
      param: name,
    });
  }
  return amount;
}

export function readCurrency(parameters: Parameters): string | undefined {
  const currency = parameters.text("currency")?.toLowerCase();
  if (currency !== undefined && !CURRENCIES.includes(currency)) {
    const message = `Invalid currency: ${currency}. The payments sandbox supports: ${CURRENCIES.join(", ")}`;
    throw invalidRequest(message, { param: "currency" });
  }
  return currency;
}
