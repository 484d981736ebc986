// Numbers as people type them. A comma separates thousands, as the tables print them: "1,50" is no number, rather than 150.
import { toCents, type Cents } from "contract/shop/money";

const grouped = /^\d{1,3}(,\d{3})+(?![\d,])/;

const withoutCommas = (text: string) => text.replace(grouped, (thousands) => thousands.replaceAll(",", ""));

/** A typed amount in cents, or undefined when it is not an amount. */
export function typedCents(typed: string): Cents | undefined {
  const text = withoutCommas(typed.trim().replace(/^\$/, ""));
  return /^\d{1,7}(\.\d{1,2})?$/.test(text) ? toCents(text) : undefined;
}

/** A typed whole number, or NaN. */
export function typedUnits(typed: string): number {
  const digits = withoutCommas(typed.trim());
  return /^\d{1,9}$/.test(digits) ? Number(digits) : Number.NaN;
}
