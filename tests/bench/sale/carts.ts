// The carts of whole orders, and the request that places one.
import { randomUUID } from "node:crypto";
import { post } from "../http-clients.ts";
import type { Buyer, MeasuredShop, TicketType } from "../shop.ts";

export interface Cart {
  readonly buyer: Buyer;
  readonly tickets: number;
  /** With the parking. */
  readonly codes: number;
  readonly price: number;
  readonly body: object;
}

const STOCK = 1_000_000;

/** Makes carts of one to three tickets, and every fifth with parking. */
export async function openCarts(shop: MeasuredShop): Promise<(buyers: readonly Buyer[]) => Cart[]> {
  const { rows } = await shop.sql.query<TicketType>(
    `update public.products set total_inventory = $1, current_inventory = $1 where name = 'General Parking'
     returning id, name, price::float8 as price`,
    [STOCK],
  );
  return (buyers) => buyers.map((buyer, nth) => cartOf(shop.ticketType, rows[0]!, buyer, nth));
}

function cartOf(ticket: TicketType, parking: TicketType, buyer: Buyer, nth: number): Cart {
  const tickets = 1 + (nth % 3);
  const parks = nth % 5 === 0;
  const price = tickets * ticket.price + (parks ? parking.price : 0);
  const person = { name: "Bun B. Buyer", email: buyer.email };
  return {
    buyer,
    tickets,
    codes: tickets + (parks ? 1 : 0),
    price,
    body: {
      items: [
        { ...ticket, quantity: tickets, type: "ticket" },
        ...(parks ? [{ ...parking, quantity: 1, type: "parking" }] : []),
      ],
      attendees: Array.from({ length: tickets }, () => person),
      buyerInfo: { ...person, phone: "713-555-0100" },
      totalAmount: price,
    },
  };
}

export const placing = ({ buyer, body }: Cart): string =>
  post(
    "/functions/v1/create-payment-intent",
    { authorization: `Bearer ${buyer.token}`, "idempotency-key": randomUUID() },
    body,
  );
