import fc from "fast-check";
import { expect, it } from "vitest";
import { toDollars } from "./money.ts";
import { feeCents, type Fee } from "./sale.ts";
import { shownPrice } from "./shown-price.ts";

const none = {
  name: "Service fee",
  percent: 0,
  per_ticket: 0,
  per_order: 0,
  is_refunded: true,
  in_prices: true,
};

it.each<[Partial<Fee>, string, boolean, number, string | undefined]>([
  [{ percent: 10 }, "45.00", true, 4950, "Includes $4.50 Service fee"],
  [{ percent: 7.25 }, "45.00", true, 4827, "Includes $3.27 Service fee"],
  [{ per_ticket: 1.5 }, "45.00", true, 4650, "Includes $1.50 Service fee"],
  [{ per_ticket: 1.5 }, "25.00", false, 2500, undefined],
  [{ per_order: 2 }, "45.00", true, 4700, "Includes $2.00 Service fee, charged once per order"],
  [
    { percent: 10, per_ticket: 1, per_order: 2 },
    "45.00",
    true,
    5250,
    "Includes $7.50 Service fee, $2.00 of it once per order",
  ],
  [
    { percent: 10, per_order: 2 },
    "25.00",
    false,
    2950,
    "Includes $4.50 Service fee, $2.00 of it once per order",
  ],
  [{ per_ticket: 1 }, "0.00", true, 0, "Plus $1.00 Service fee in an order with paid items"],
  [{ percent: 10, per_order: 2 }, "0.00", true, 0, undefined],
])("with %j, $%s (a ticket: %s) is shown with its fee", (amounts, dollars, isTicket, cents, note) => {
  const shown = shownPrice({ ...none, ...amounts }, dollars, isTicket);
  expect([shown.cents, shown.withFee, shown.note]).toEqual([cents, cents, note]);
});

it("shows the bare price without a fee, and beside the fee if the organizer wants it so", () => {
  expect(shownPrice(null, "45.00", true)).toEqual({ cents: 4500, withFee: 4500 });
  expect(shownPrice({ ...none, percent: 10, in_prices: false }, "45.00", true)).toEqual({
    cents: 4500,
    withFee: 4950,
    note: "Plus $4.50 Service fee",
  });
});

const cents = (max: number) => fc.integer({ min: 0, max }).map(toDollars);

it("never shows less than a cart of such tickets costs", () => {
  fc.assert(
    fc.property(
      cents(50_00),
      cents(999_99),
      cents(999_99),
      fc.integer({ min: 50, max: 9_999_999 }),
      fc.integer({ min: 1, max: 20 }),
      (percent, per_ticket, per_order, price, quantity) => {
        const fee = { ...none, percent, per_ticket, per_order };
        const cart = price * quantity + feeCents(fee, price * quantity, quantity);
        const { cents: shown } = shownPrice(fee, toDollars(price), true);
        expect(shown * quantity).toBeGreaterThanOrEqual(cart);
        // The first unit: to the cent, which is rounded up.
        expect(shown - price - feeCents(fee, price, 1)).toBeLessThanOrEqual(1);
      },
    ),
  );
});
