// Amounts in currencies other than ours. A payment made in one is refunded and listed in that currency.
import { formatCents } from "./money.ts";

/** "$45.00" for 4500 of usd, "€45.00" for 4500 of eur, "¥45" for 45 of jpy. `units` counts the smallest unit. */
export function formatAmount(units: number, currency: string): string {
  if (currency === "usd") return formatCents(units);
  const format = formatOf(currency);
  return format.format(units / 10 ** digitsOf(format));
}

/** "45.00" for 4500 of eur, "45" for 45 of jpy. */
export function amountText(units: number, currency: string): string {
  const digits = digitsOf(formatOf(currency));
  return (units / 10 ** digits).toFixed(digits);
}

const formatOf = (currency: string) => new Intl.NumberFormat("en-US", { style: "currency", currency });
const digitsOf = (format: Intl.NumberFormat) => format.resolvedOptions().maximumFractionDigits ?? 2;
