// Which parts of an order can be refunded alone, and the amount for a choice of them, shown before the server is called.
// refund_order (supabase/migrations, take_back) decides and computes the amount under a lock. This repeats its calculation
// because the button shows the amount whenever a box is ticked. tests/browser/admin/orders.spec.ts compares the two.
import { admitted, listed, type ProductKind } from "contract/shop/kinds";
import { lineTotal, toCents } from "contract/shop/money";
import { count, isolated } from "#lib/format.ts";
import { leftOfItem, leftToRefund, type Admission, type OrderCase } from "../model.ts";

/** A ticket, or all units of an extra: what has no attendee is refunded by its order item. */
export interface Entry {
  readonly id: string;
  readonly isTicket: boolean;
  /** Undefined for an extra without codes. */
  readonly kind: ProductKind | undefined;
  readonly name: string;
  readonly attendee?: { readonly name: string; readonly email: string };
  /** The refund if this entry is refunded alone, next. */
  readonly cents: number;
  readonly included: boolean;
  readonly refunded: boolean;
  readonly refundable: boolean;
  readonly checkedInAt: string | null;
  /** How many of its codes are inside now. */
  readonly inside: number;
  /** Its codes that are not in yet. */
  absentIds: readonly string[];
  /** The ticket's code, or those of the extra. */
  readonly codeIds: readonly string[];
  readonly admissions: readonly Admission[];
}

export function isPaid(order: OrderCase): boolean {
  return order.status === "confirmed" || order.status === "completed";
}

/** In the order of purchase, tickets first. */
export function entriesOf(order: OrderCase): Entry[] {
  const items = order.order_items.toSorted((a, b) => a.position - b.position);
  const tickets = items.flatMap((item) =>
    order.codes
      .filter((code) => code.has_attendee && code.order_item_id === item.id)
      .toSorted((a, b) => a.position - b.position)
      .map((ticket): Entry => ({
        id: ticket.id,
        isTicket: true,
        kind: ticket.product_kinds,
        name: item.name,
        attendee: { name: ticket.attendee_name ?? "", email: ticket.attendee_email ?? "" },
        cents: shareOf(item, 1),
        included: false,
        refunded: ticket.voided_at !== null,
        refundable: ticket.voided_at === null,
        checkedInAt: ticket.checked_in_at,
        inside: isInside(ticket) ? 1 : 0,
        codeIds: [ticket.id],
        absentIds: absentOf([ticket]),
        admissions: ticket.admissions,
      })),
  );
  const extras = items
    .filter((item) => item.kind !== "ticket")
    .map((item): Entry => {
      const codes = order.codes.filter((code) => code.order_item_id === item.id);
      return {
        id: item.id,
        isTicket: false,
        kind: codes[0]?.product_kinds,
        name: item.name,
        cents: shareOf(item, item.quantity - item.refunded),
        included: item.included,
        refunded: item.refunded > 0,
        refundable: item.refunded === 0 && !item.included,
        // With several codes, it counts as in once all are.
        checkedInAt: codes.every(({ checked_in_at }) => checked_in_at !== null)
          ? (codes.at(-1)?.checked_in_at ?? null)
          : null,
        inside: codes.filter(isInside).length,
        codeIds: codes.map(({ id }) => id),
        absentIds: absentOf(codes),
        admissions: codes.flatMap(({ admissions }) => admissions),
      };
    });
  return [...tickets, ...extras];
}

const absentOf = (codes: readonly { id: string; checked_in_at: string | null; voided_at: string | null }[]) =>
  codes
    .filter(({ checked_in_at, voided_at }) => checked_in_at === null && voided_at === null)
    .map(({ id }) => id);

/** Let in, and not out again. Finance reads no admissions, so for them a scan is enough. */
function isInside({ checked_in_at, admissions }: OrderCase["codes"][number]) {
  const standing = admissions.filter(({ undone_at }) => undone_at === null);
  return (
    checked_in_at !== null && (standing.length === 0 || standing.some(({ left_at }) => left_at === null))
  );
}

/** What the codes of an extra admit: "One vehicle", "2 vehicles". */
export function admittedBy({ kind, codeIds: { length } }: Entry): string {
  if (!kind || length === 0) return "";
  return length === 1 ? admitted(kind, null) : count(length, kind.admits);
}

/** "parking", "parking and camping" */
export const namesOfExtras = (extras: readonly Entry[]): string =>
  listed([...new Set(extras.map(({ kind, name }) => kind?.title.toLowerCase() ?? name))]);

/** More names would hide the question. */
const MOST_NAMES = 3;

/** Who of those whose tickets would become void is inside already; empty when nobody is. */
export function insideText(entries: readonly Entry[]): string {
  const losing = entries.filter(({ refunded }) => !refunded);
  const guests = losing.filter(({ isTicket }) => isTicket);
  const inside = guests.filter((entry) => entry.inside > 0);
  const names = inside.map(({ attendee, name }) => isolated(attendee?.name ?? name)).join(", ");
  const others = losing.filter((entry) => !entry.isTicket && entry.inside > 0);
  const admits = [...new Set(others.map(({ kind }) => kind?.admits ?? ""))];
  const are = (amount: number) => (amount === 1 ? "is" : "are");
  return [
    inside.length > 0 &&
      `${guests.length === 1 ? "This guest" : `${inside.length} of these guests`} ${are(inside.length)} already inside${inside.length <= MOST_NAMES ? `: ${names}` : ""}.`,
    ...admits.map((what) => {
      const own = others.filter(({ kind }) => kind?.admits === what);
      const amount = own.reduce((sum, entry) => sum + entry.inside, 0);
      return `${count(amount, what)} ${are(amount)} already inside.`;
    }),
  ]
    .filter(Boolean)
    .join(" ");
}

/**
 * The last ticket ends the order and refunds everything left, except a fee that is not refundable. `given`: the part of the
 * price that was already refunded as money alone.
 */
export function refundOf(order: OrderCase, chosen: readonly Entry[]) {
  const left = entriesOf(order).filter(({ isTicket, refunded }) => isTicket && !refunded);
  const ends = left.every(({ id }) => chosen.some((entry) => entry.id === id));
  const fee = toCents(order.fee_amount) - toCents(order.fee_refunded);
  const ids = new Set(chosen.map(({ id }) => id));
  const parts = order.order_items.map((item) => {
    const units =
      ends || ids.has(item.id)
        ? item.quantity - item.refunded
        : order.codes.filter((code) => code.order_item_id === item.id && ids.has(code.id)).length;
    return units === 0
      ? { cents: 0, given: 0 }
      : { cents: shareOf(item, units), given: givenOf(item, units) };
  });
  const given = parts.reduce((sum, part) => sum + part.given, 0);
  if (ends)
    return { ends, given, cents: Math.max(leftToRefund(order) - (order.fee_is_refunded ? 0 : fee), 0) };
  const cents = parts.reduce((sum, part) => sum + part.cents, 0);
  const all = order.order_items.reduce((sum, item) => sum + leftOfItem(item), 0);
  // Its share of the remaining fee, rounded down.
  const feeShare = order.fee_is_refunded && all > 0 ? Math.floor((fee * cents) / all) : 0;
  return { ends, given, cents: cents + feeShare };
}

/** Where nothing was paid, or everything has gone back already, a refund only cancels. */
export const verbOf = (cents: number): "Refund" | "Cancel" => (cents > 0 ? "Refund" : "Cancel");

/** The refund for some units: their share of what is left of the item's payment, at most their price. */
function shareOf(item: OrderCase["order_items"][number], units: number): number {
  const cents = leftOfItem(item);
  const all = Math.max(1, item.quantity - item.refunded);
  return Math.min(cents - Math.floor((cents * (all - units)) / all), lineTotal(item.unit_price, units));
}

/** How much of the price of these units was already refunded. Ignores cents that do not divide. */
function givenOf(item: OrderCase["order_items"][number], units: number): number {
  const paid = lineTotal(item.unit_price, item.quantity) - toCents(item.discount);
  const given = Math.round((paid * units) / item.quantity) - shareOf(item, units);
  return given > item.quantity ? given : 0;
}

/** In the server functions' format. */
export const idsOf = (chosen: readonly Entry[]) => ({
  tickets: chosen.filter(({ isTicket }) => isTicket).map(({ id }) => id),
  extras: chosen.filter(({ isTicket }) => !isTicket).map(({ id }) => id),
});
