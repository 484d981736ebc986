// The items of a cart, and its attendees.

export interface CartItem {
  id: string;
  /** The product's. */
  name: string;
  price: number;
  quantity: number;
  /** The kind of product. */
  type: string;
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
