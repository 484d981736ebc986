import { toCents, type Cents } from "contract/money";

/** Cents of an amount that was typed, or undefined when it is none. */
export function typedCents(typed: string): Cents | undefined {
  const text = typed.trim().replace(/^\$/, "").replaceAll(",", "");
  return /^\d{1,7}(\.\d{1,2})?$/.test(text) ? toCents(text) : undefined;
}
