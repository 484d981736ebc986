// The items of a cart, and its attendees.

export interface CartItem {
  id: string;
  /** The ticket's name, or the parking pass's type name. */
  name: string;
  price: number;
  quantity: number;
  type: "ticket" | "parking";
  /** The catalogue's record. */
  itemData: unknown;
}

export interface Attendee {
  name: string;
  email: string;
  /** The ticket type it is for; absent in a cart that another program saved. */
  ticketTypeId?: string;
  /** Its place among the tickets of this type, from 0. */
  position?: number;
}
