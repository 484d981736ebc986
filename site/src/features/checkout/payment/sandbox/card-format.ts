// Formats card fields as they are typed or pasted. Pure. Accepts the full-width digits of some keyboards.

const plain = (typed: string) => typed.normalize("NFKC");

export const digitsOf = (typed: string) => plain(typed).replace(/\D/g, "");

/** Groups of four; American Express in 4, 6 and 5. */
export function formatCardNumber(typed: string): string {
  const digits = digitsOf(typed).slice(0, 19);
  const groups = isAmericanExpress(digits) ? [4, 6, 5] : [4, 4, 4, 4, 3];
  let start = 0;
  return groups
    .map((length) => digits.slice(start, (start += length)))
    .filter(Boolean)
    .join(" ");
}

/**
 * "1230", "12/30", "12-2030" and "2030-12" become "12 / 30". A first digit above 1 can only be a complete month, and so
 * can one digit before a separator. The first digits of a four-digit year stay while it is being typed.
 */
export function formatExpiry(typed: string): string {
  const text = plain(typed)
    .trim()
    .replace(/^(\d{4})\D+(\d{1,2})$/, "$2/$1")
    .replace(/^(\d)\D/, "0$1/");
  const digits = text.replace(/\D/g, "").replace(/^([2-9])/, "0$1");
  const month = digits.slice(0, 2);
  const rest = digits.slice(2);
  const year =
    rest.startsWith("20") && rest.length >= 4
      ? rest.slice(2, 4)
      : rest.slice(0, rest.startsWith("20") ? 3 : 2);
  return year ? `${month} / ${year}` : month;
}

export function formatCvc(typed: string): string {
  return digitsOf(typed).slice(0, 4);
}

/** Month and two-digit year of "12 / 30". */
export function expiryParts(expiry: string): { month: string; year: string } {
  const [month = "", year = ""] = expiry.split("/").map((part) => part.trim());
  return { month, year };
}

function isAmericanExpress(digits: string): boolean {
  return /^3[47]/.test(digits);
}

export interface CardEntry {
  number: string;
  expiry: string;
  cvc: string;
}

export type CardErrors = Partial<Record<keyof CardEntry, string>>;

/** Obvious mistakes, field by field, before anything is sent. Empty when the card may be tried. */
export function cardErrors({ number, expiry, cvc }: CardEntry, now: Date): CardErrors {
  const found = {
    number: numberError(digitsOf(number)),
    expiry: expiryError(expiryParts(expiry), now),
    cvc: cvcError(cvc),
  };
  return Object.fromEntries(Object.entries(found).filter(([, message]) => message !== undefined));
}

function numberError(digits: string): string | undefined {
  if (digits.length < (isAmericanExpress(digits) ? 15 : 13)) return "Your card number is incomplete.";
  return passesLuhn(digits) ? undefined : "Your card number is invalid.";
}

function expiryError({ month, year }: { month: string; year: string }, now: Date): string | undefined {
  if (month.length < 2 || year.length !== 2) return "Your card's expiration date is incomplete.";
  if (Number(month) < 1 || Number(month) > 12) return "Your card's expiration date is invalid.";
  const pastEnd = new Date(2000 + Number(year), Number(month));
  return pastEnd <= now ? "Your card's expiration date is in the past." : undefined;
}

function cvcError(cvc: string): string | undefined {
  return cvc.length < 3 ? "Your card's security code is incomplete." : undefined;
}

/** The check digit of ISO/IEC 7812. */
function passesLuhn(digits: string): boolean {
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const value = index % 2 === 1 ? Number(digit) * 2 : Number(digit);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
