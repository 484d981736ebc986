// The price of one unit as it is shown before the cart: what a buyer must pay for it, fees included, as the rule on
// live-event tickets (16 CFR 464) demands. The cart shows price and fee as lines of their own.
import { formatCents, toCents, type Cents } from "./money.ts";
import type { Fee } from "./sale.ts";

export interface ShownPrice {
  /** With the fee, unless the organizer shows it beside each price. */
  readonly cents: Cents;
  /** With the fee, for places where nothing can stand beside a price. */
  readonly withFee: Cents;
  /** What is said beside the price about the fee. */
  readonly note?: string;
}

/** `isTicket`: the part of the fee that each ticket bears is in it. */
export function shownPrice(fee: Fee | null, dollars: number | string, isTicket: boolean): ShownPrice {
  const cents = toCents(dollars);
  if (fee === null) return { cents, withFee: cents };
  const perTicket = isTicket ? toCents(fee.per_ticket) : 0;
  if (cents === 0) {
    const note = `Plus ${formatCents(perTicket)} ${fee.name} in an order with paid items`;
    return { cents, withFee: cents, ...(perTicket > 0 && { note }) };
  }
  const perOrder = toCents(fee.per_order);
  // Rounded up, and with all that an order bears: no cart costs more than the sum of the prices shown.
  const part = perOrder + perTicket + Math.ceil((cents * toCents(fee.percent)) / 10_000);
  const withFee = cents + part;
  if (part === 0) return { cents, withFee };
  const once =
    perOrder === 0
      ? ""
      : part === perOrder
        ? ", charged once per order"
        : `, ${formatCents(perOrder)} of it once per order`;
  const note = `${fee.in_prices ? "Includes" : "Plus"} ${formatCents(part)} ${fee.name}${once}`;
  return { cents: fee.in_prices ? withFee : cents, withFee, note };
}
