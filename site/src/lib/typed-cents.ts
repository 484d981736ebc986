import { toCents, type Cents } from "contract/shop/money";

/** A typed amount in cents, or undefined when it is not an amount. */
export function typedCents(typed: string): Cents | undefined {
  const text = typed.trim().replace(/^\$/, "").replaceAll(",", "");
  return /^\d{1,7}(\.\d{1,2})?$/.test(text) ? toCents(text) : undefined;
}
