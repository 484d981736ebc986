// Money is `numeric(10,2)` in SQL and in JSON, and integer cents wherever it is added up (PRODUCT 1.3).
// This module is the only place that converts between the two.

/** A whole number of US cents. */
export type Cents = number;

const decimal = /^-?\d{1,8}(?:\.\d{1,2})?$/;

/**
 *
 * Converts dollars as the database or a form writes them ("45", "45.5", 45.00) to cents.
 * @throws RangeError for anything that is not an amount of at most two decimals and eight whole digits.
 */
export function toCents(dollars: number | string): Cents {
  const text = typeof dollars === "number" ? String(dollars) : dollars.trim();
  if (!decimal.test(text)) throw new RangeError(`Not an amount of money: ${text}`);
  const [whole = "0", fraction = ""] = text.replace("-", "").split(".");
  const cents = Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
  return text.startsWith("-") && cents !== 0 ? -cents : cents;
}

/** Cents as the number of dollars for JSON. Never add these up. */
export function toDollars(cents: Cents): number {
  return cents / 100;
}

/** "45.00": two decimals, no currency sign, no grouping. */
export function decimalText(cents: Cents): string {
  return (cents / 100).toFixed(2);
}

/**
 * "$1,250.00", "-$5.00". Formatted by hand: creating the first Intl formatter takes a phone longer than all of a page's
 * other script.
 */
export function formatCents(cents: Cents): string {
  const grouped = decimalText(Math.abs(cents)).replace(/\B(?=(\d{3})+\.)/g, ",");
  return `${cents < 0 ? "-" : ""}$${grouped}`;
}

/** The cost of `quantity` units at `unitPrice` dollars. */
export function lineTotal(unitPrice: number | string, quantity: number): Cents {
  return toCents(unitPrice) * quantity;
}
