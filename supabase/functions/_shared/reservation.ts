// A cart sent to `reserve_in_turn`, and SQL's answer. Hides how a changed cart is recognized.
import type { CreatePaymentIntent } from "contract/schemas";
import { type FunctionErrorCode, functionErrorStatus } from "contract/errors";
import { FunctionError } from "./errors.ts";

/** One element of `carts`. */
export interface Cart {
  readonly user_id: string;
  readonly idempotency_key: string;
  readonly request_hash: string;
  readonly items: readonly { type: string; id: string; quantity: number }[];
  readonly attendees: readonly Attendee[];
  readonly buyer: { name: string; email: string; phone: string };
  readonly total_cents: number;
  /** As the buyer typed it. */
  readonly promo_code?: string;
  /** The client's address, for the limits on crowds and bots. */
  readonly address?: string;
  /** Milliseconds since the epoch. A cart that arrived before the waiting room opened is served. */
  readonly arrived_at?: number;
  /** The id of a verified place in the waiting room, which may not belong to the account yet. */
  readonly place?: string | undefined;
}

interface Attendee {
  readonly name: string;
  readonly email: string;
  readonly ticket_type_id: string;
}

export interface Reserved {
  readonly ok: true;
  readonly order_id: string;
  readonly total_cents: number;
  readonly hold_expires_at: string;
  readonly status: "pending" | "confirmed" | "completed";
  /** True if the same key had already reserved this order. */
  readonly replayed: boolean;
}

export type Reservation =
  | Reserved
  | {
      readonly ok: false;
      readonly code: string;
      readonly message: string;
      readonly details?: Readonly<Record<string, unknown>> | null;
    };

export async function cartOf(
  sha256: (text: string) => string | Promise<string>,
  body: CreatePaymentIntent,
  key: string,
  userId: string,
  address: string,
): Promise<Cart> {
  const content = {
    items: body.items.map(({ type, id, quantity }) => ({ type, id, quantity })),
    attendees: attendeesOf(body),
    buyer: body.buyerInfo,
    total_cents: Math.round(body.totalAmount * 100),
    ...(body.promoCode !== undefined && { promo_code: body.promoCode }),
  };
  return {
    user_id: userId,
    idempotency_key: key,
    request_hash: await sha256(JSON.stringify(inOneOrder(content))),
    ...content,
    address,
  };
}

/** Each attendee with a ticket type: the one they name, or else the next in the order of the items. */
function attendeesOf({ items, attendees }: CreatePaymentIntent): Attendee[] {
  const tickets = items.flatMap(({ type, id, quantity }) =>
    type === "ticket" ? Array.from({ length: quantity }, () => id) : [],
  );
  return attendees.map(({ name, email, ticketTypeId }, index) => {
    const id = ticketTypeId ?? tickets[index];
    if (id === undefined) throw new Error(`attendee ${index + 1} has no ticket`);
    return { name, email, ticket_type_id: id };
  });
}

/** Sorted, so that the order of a cart's items does not matter. People keep their order within a ticket type. */
function inOneOrder<Content extends Pick<Cart, "items" | "attendees">>(content: Content): Content {
  return {
    ...content,
    items: content.items.toSorted((one, other) => compare(one.id, other.id)),
    attendees: content.attendees.toSorted((one, other) => compare(one.ticket_type_id, other.ticket_type_id)),
  };
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The held order, or SQL's refusal in its own words. */
export function requireReserved(reservation: Reservation): Reserved {
  if (reservation.ok) return reservation;
  const { code, message, details } = reservation;
  if (!(code in functionErrorStatus))
    throw new Error(`reserve_in_turn refused with an unknown code: ${code}`);
  throw new FunctionError(code as FunctionErrorCode, message, { details: details ?? undefined });
}
