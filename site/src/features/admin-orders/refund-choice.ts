// Which parts of an order can be refunded alone, and the amount for a choice of them, shown before anything is asked of the
// server. refund_order (supabase/migrations, take_back) decides and computes the amount under a lock; this repeats its sum
// because the button names it at every tick of a box. tests/browser/admin-orders.spec.ts compares the two.
import { paidFor, toCents } from "contract/money";
import { leftToRefund, type Admission, type OrderCase } from "./model.ts";

/** A ticket, or the parking of one kind: an order has at most one order item of each. */
export interface Entry {
  readonly id: string;
  readonly kind: "ticket" | "parking";
  readonly name: string;
  readonly attendee?: { readonly name: string; readonly email: string };
  /** What is paid back for it alone, next. */
  readonly cents: number;
  readonly itemId: string;
  readonly included: boolean;
  readonly refunded: boolean;
  readonly refundable: boolean;
  readonly checkedInAt: string | null;
  /** Of its codes, those not in yet. */
  absentIds: readonly string[];
  /** Of the ticket, or of each of the parking's permits. */
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
    order.tickets
      .filter((ticket) => ticket.order_item_id === item.id)
      .toSorted((a, b) => a.position - b.position)
      .map((ticket): Entry => ({
        id: ticket.id,
        kind: "ticket",
        name: item.name,
        attendee: { name: ticket.attendee_name, email: ticket.attendee_email },
        cents: paidFor(item, 1, Math.min(item.refunded, item.quantity - 1)),
        itemId: item.id,
        included: false,
        refunded: ticket.voided_at !== null,
        refundable: ticket.voided_at === null,
        checkedInAt: ticket.checked_in_at,
        codeIds: [ticket.id],
        absentIds: absentOf([ticket]),
        admissions: ticket.admissions,
      })),
  );
  const parking = items
    .filter((item) => item.parking_pass_id !== null)
    .map((item): Entry => {
      const permits = order.parking_permits.filter((permit) => permit.order_item_id === item.id);
      return {
        id: item.id,
        kind: "parking",
        name: item.name,
        cents: paidFor(item, item.quantity),
        itemId: item.id,
        included: item.included,
        refunded: item.refunded > 0,
        refundable: item.refunded === 0 && !item.included,
        // Of several vehicles, in once all are.
        checkedInAt: permits.every(({ checked_in_at }) => checked_in_at !== null)
          ? (permits.at(-1)?.checked_in_at ?? null)
          : null,
        codeIds: permits.map(({ id }) => id),
        absentIds: absentOf(permits),
        admissions: permits.flatMap(({ admissions }) => admissions),
      };
    });
  return [...tickets, ...parking];
}

const absentOf = (codes: readonly { id: string; checked_in_at: string | null; voided_at: string | null }[]) =>
  codes
    .filter(({ checked_in_at, voided_at }) => checked_in_at === null && voided_at === null)
    .map(({ id }) => id);

/** The last ticket ends the order, and everything not refunded yet goes back, except a fee that is not refunded. */
export function refundOf(order: OrderCase, chosen: readonly Entry[]): { cents: number; ends: boolean } {
  const left = entriesOf(order).filter(({ kind, refunded }) => kind === "ticket" && !refunded);
  const ends = left.every(({ id }) => chosen.some((entry) => entry.id === id));
  if (!ends) return { ends, cents: sumOf(order, chosen) + feeOf(order, sumOf(order, chosen)) };
  const kept = order.fee_is_refunded ? 0 : toCents(order.fee_amount);
  return { ends, cents: Math.max(leftToRefund(order) - kept, 0) };
}

/** Its share in what is left of the fee, rounded down. */
function feeOf(order: OrderCase, cents: number): number {
  const left = toCents(order.fee_amount) - toCents(order.fee_refunded);
  if (!order.fee_is_refunded || left === 0) return 0;
  const worth = order.order_items.reduce(
    (sum, item) => sum + paidFor(item, item.quantity - item.refunded, item.refunded),
    0,
  );
  return worth === 0 ? 0 : Math.floor((left * cents) / worth);
}

/** Item by item: of a discount, each further unit may take another cent. */
function sumOf(order: OrderCase, chosen: readonly Entry[]): number {
  return order.order_items.reduce((sum, item) => {
    const entries = chosen.filter(({ itemId }) => itemId === item.id);
    const units = item.parking_pass_id === null ? entries.length : entries.length && item.quantity;
    return sum + paidFor(item, units, item.refunded);
  }, 0);
}
