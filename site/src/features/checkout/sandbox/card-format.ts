// How card fields read while they are typed, pure.

/** Groups of four; American Express in 4, 6 and 5. */
export function formatCardNumber(typed: string): string {
  const digits = typed.replace(/\D/g, "").slice(0, 19);
  const groups = /^3[47]/.test(digits) ? [4, 6, 5] : [4, 4, 4, 4, 3];
  let start = 0;
  return groups
    .map((length) => digits.slice(start, (start += length)))
    .filter(Boolean)
    .join(" ");
}

/** "1230" reads "12 / 30"; a first digit above 1 can only be a month by itself. */
export function formatExpiry(typed: string): string {
  const digits = typed
    .replace(/\D/g, "")
    .replace(/^([2-9])/, "0$1")
    .slice(0, 4);
  return digits.length > 2 ? `${digits.slice(0, 2)} / ${digits.slice(2)}` : digits;
}

export function formatCvc(typed: string): string {
  return typed.replace(/\D/g, "").slice(0, 4);
}

/** Month and two-digit year of "12 / 30". */
export function expiryParts(expiry: string): { month: string; year: string } {
  const [month = "", year = ""] = expiry.split("/").map((part) => part.trim());
  return { month, year };
}
