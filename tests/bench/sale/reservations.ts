// Signed-in buyers who each reserve one ticket over HTTP, the whole call as the checkout makes it: token, limits, stock, hold
// and payment intent. Every buyer is new, every answer is read, and in the end the tables must agree.
import { randomUUID } from "node:crypto";
import { type Answer, openHttpClients, post } from "../http-clients.ts";
import { WrongAnswer } from "../pairs.ts";
import { processorTime, type ProcessorTime, since } from "../processor-time.ts";
import type { Buyer, MeasuredShop, TicketType } from "../shop.ts";

export interface Reservations {
  /** Reservations a second. */
  slice(seconds: number): Promise<number>;
  /** How many in how many seconds, and what processor time they took. */
  measured(seconds: number): Promise<{ orders: number; seconds: number; processor: ProcessorTime }>;
}

export function openReservations(shop: MeasuredShop, clients: number): Reservations {
  let most = 1000;

  const reservations: Reservations = {
    async slice(seconds) {
      const { orders, seconds: taken } = await reservations.measured(seconds);
      return orders / taken;
    },
    async measured(seconds) {
      // Accounts and tokens exist before the time starts. A slice that uses them up ends early, and the next one gets more.
      const questions = (await shop.newBuyers(Math.ceil(most * seconds))).map((buyer) => ({
        text: reservationOf(shop.ticketType, buyer),
      }));
      const before = await booksOf(shop);
      const orders = new Set<string>();
      // New connections for each slice: the server closes those that are silent during the other side's turn.
      const http = await openHttpClients(shop.festival.url, clients);
      const spent = processorTime(shop.festival);
      let next = 0;
      const taken = await http.run(
        seconds,
        () => questions[next++],
        (answer) => orders.add(orderIn(answer, shop.ticketType)),
      );
      const processor = since(spent, processorTime(shop.festival));
      http.close();
      const after = await booksOf(shop);
      if (after.held - before.held !== orders.size || after.orders - before.orders !== orders.size) {
        throw new WrongAnswer(`${orders.size} orders were answered, but the tables say otherwise.`);
      }
      most = Math.max(most, (orders.size / taken) * 2);
      return { orders: orders.size, seconds: taken, processor };
    },
  };
  return reservations;
}

/** With the buyer's place in the waiting room, if there is one. */
export function reservationOf(type: TicketType, buyer: Buyer, place?: string): string {
  const person = { name: "Bun B. Buyer", email: buyer.email };
  return post(
    "/functions/v1/create-payment-intent",
    { authorization: `Bearer ${buyer.token}`, "idempotency-key": randomUUID() },
    {
      items: [{ ...type, quantity: 1, type: "ticket" }],
      attendees: [person],
      buyerInfo: { ...person, phone: "713-555-0100" },
      totalAmount: type.price,
      place,
    },
  );
}

/** The order's id. Throws WrongAnswer for anything but a held order with a payment intent. */
export function orderIn({ status, body }: Answer, { price }: Pick<TicketType, "price">): string {
  const order = status === 200 ? JSON.parse(body) : {};
  if (
    typeof order.orderId === "string" &&
    order.orderStatus === "pending" &&
    order.totalAmount === price &&
    Date.parse(order.holdExpiresAt) > Date.now() &&
    order.clientSecret.startsWith(`${order.paymentIntentId}_secret_`)
  ) {
    return order.orderId;
  }
  throw new WrongAnswer(`A reservation was answered with ${status} ${body}`);
}

export async function booksOf(shop: MeasuredShop): Promise<{ held: number; orders: number }> {
  const { rows } = await shop.sql.query<{ held: number; orders: number }>(
    `select held, (select count(*) from public.orders where status = 'pending')::integer as orders
     from public.ticket_types where id = $1`,
    [shop.ticketType.id],
  );
  return rows[0]!;
}
