import { expect, it } from "vitest";
import { amountText, formatAmount } from "./currency.ts";

it.each([
  [450_000, "usd", "$4,500.00", "4500.00"],
  [4500, "eur", "€45.00", "45.00"],
  [45, "jpy", "¥45", "45"],
])("shows %d of the smallest unit of %s as %s", (units, currency, shown, text) => {
  expect(formatAmount(units, currency)).toBe(shown);
  expect(amountText(units, currency)).toBe(text);
});
