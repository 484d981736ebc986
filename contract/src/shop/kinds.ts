// The kinds of things to sell, each a row of `product_kinds`, and the words that name units of them.
import type { Database } from "../database.ts";

export type ProductKind = Database["public"]["Tables"]["product_kinds"]["Row"];

/** A kind, and the words for its units. */
export type KindWords = Pick<ProductKind, "kind" | "position" | "label" | "plural">;

interface Units {
  readonly kind: KindWords;
  readonly quantity: number;
}

/** "3 tickets, 1 parking pass and 2 camping pitches" */
export const countsOf = (units: readonly Units[]): string =>
  listed(summed(units).map(({ kind, quantity }) => counted(quantity, kind)));

/** "tickets, parking pass and camping pitches" */
export const namesOf = (units: readonly Units[]): string =>
  listed(summed(units).map(({ kind, quantity }) => named(kind, quantity)));

const named = ({ label, plural }: KindWords, quantity: number) => (quantity === 1 ? label : plural);

/** One entry a kind, in the order of kinds. */
function summed(units: readonly Units[]): Units[] {
  const kinds = new Map<string, Units>();
  for (const { kind, quantity } of units) {
    kinds.set(kind.kind, { kind, quantity: quantity + (kinds.get(kind.kind)?.quantity ?? 0) });
  }
  return [...kinds.values()]
    .filter(({ quantity }) => quantity > 0)
    .sort((one, other) => one.kind.position - other.kind.position);
}

/** "a, b and c" */
export function listed(words: readonly string[], and = "and"): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} ${and} ${last}`;
}

/** "1 ticket" */
export const counted = (quantity: number, kind: KindWords): string => `${quantity} ${named(kind, quantity)}`;

/** What an organizer adds: "ticket type", "parking pass". */
export const productLabel = ({ label, needs_attendee }: ProductKind): string =>
  needs_attendee ? `${label} type` : label;
export const productPlural = ({ label, plural, needs_attendee }: ProductKind): string =>
  needs_attendee ? `${label} types` : plural;

/** Before another noun: "Ticket revenue", "Parking revenue". */
export const attributive = ({ label, title, needs_attendee }: ProductKind): string =>
  needs_attendee ? capitalized(label) : title;

export const capitalized = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** What a code without an attendee admits. Only a vehicle has a plate. */
export const admitted = ({ admits }: Pick<ProductKind, "admits">, plate: string | null): string =>
  plate === null ? `One ${admits}` : `${capitalized(admits)} ${plate}`;

/**
 * What the shop offers, kind by kind: each kind as it is listed, in the given order within it. Parking is offered only beside the
 * general pass (PRODUCT 5.4).
 */
export function offeredOf<Row extends OfferedRow>(rows: readonly Row[]): Row[] {
  const hasGeneral = rows.some(({ is_general }) => is_general);
  return rows
    .filter(({ kind }) => kind !== "parking" || hasGeneral)
    .sort((one, other) => one.product_kinds.position - other.product_kinds.position);
}

interface OfferedRow {
  readonly kind: string;
  readonly is_general: boolean;
  readonly product_kinds: Pick<ProductKind, "position">;
}
