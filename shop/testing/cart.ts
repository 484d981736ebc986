// A cart as the browser sends it.

export interface CatalogItem {
  readonly id: string;
  readonly name: string;
  readonly price: number;
  readonly type: "ticket" | "parking";
}

/** The ticket that is not VIP and not for the young. */
export const GENERAL_ADMISSION =
  "select id, name, price::float, 'ticket' as type from public.ticket_types where not is_vip order by price desc limit 1";

export function cartOf(...lines: readonly (readonly [CatalogItem, number])[]) {
  const items = lines.map(([item, quantity]) => ({ ...item, quantity }));
  const tickets = items
    .filter((item) => item.type === "ticket")
    .reduce((sum, item) => sum + item.quantity, 0);
  return {
    items,
    attendees: Array.from({ length: Math.max(0, Math.floor(tickets)) }, (_, index) => ({
      name: `Guest ${index + 1}`,
      email: index === 0 ? "buyer@people.test" : `guest${index + 1}@people.test`,
    })),
    buyerInfo: { name: "Bun B. Buyer", email: "buyer@people.test", phone: "713-555-0100" },
    totalAmount: items.reduce((sum, item) => sum + item.price * item.quantity, 0),
  };
}
