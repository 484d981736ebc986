// One seat for each ticket of a cart, and its attendee. An attendee belongs to a ticket type and a position within it, so
// changing one type never moves an attendee to another.
import type { Attendee, CartItem } from "./record.ts";

export interface Seat {
  ticketTypeId: string;
  ticketName: string;
  /** Its place among the tickets of its type, from 0. */
  position: number;
  name: string;
  email: string;
}

/**
 * The seats in the order of the items. An attendee gets the seat they name. If it is taken or gone, they get the first free
 * one of their type. An attendee without a type, as in a cart that another program saved, gets the first free seat of all.
 */
export function seatsOf(items: readonly CartItem[], attendees: readonly Attendee[]): Seat[] {
  const seats: (Seat & { taken?: true })[] = items.flatMap(({ id, name, quantity, type }) =>
    type === "ticket"
      ? Array.from({ length: quantity }, (_, position) => ({
          ticketTypeId: id,
          ticketName: name,
          position,
          name: "",
          email: "",
        }))
      : [],
  );
  const standing: Attendee[] = [];
  for (const attendee of attendees) {
    const own = seats.find(
      (seat) => seat.ticketTypeId === attendee.ticketTypeId && seat.position === attendee.position,
    );
    if (own && !own.taken) sit(own, attendee);
    else standing.push(attendee);
  }
  const named = (attendee: Attendee) => attendee.ticketTypeId !== undefined;
  for (const attendee of [...standing.filter(named), ...standing.filter((other) => !named(other))]) {
    const free = seats.find(
      (seat) => !seat.taken && (!named(attendee) || seat.ticketTypeId === attendee.ticketTypeId),
    );
    if (free) sit(free, attendee);
  }
  return seats.map(({ taken: _, ...seat }) => seat);
}

/** The seats that the cart keeps: those with both name and email (PRODUCT 6.1). */
export function filledSeats(seats: readonly Omit<Seat, "ticketName">[]): Attendee[] {
  return seats.flatMap(({ name, email, ticketTypeId, position }) =>
    name.trim() && email.trim() ? [{ name, email, ticketTypeId, position }] : [],
  );
}

function sit(seat: Seat & { taken?: true }, { name, email }: Attendee) {
  Object.assign(seat, { name, email, taken: true });
}
