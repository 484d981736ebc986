// The one record that a browser keeps of a purchase, shared by all its tabs: the cart, what was typed, and the order that is being
// paid. saved-cart.ts reads it, store.ts writes it.

export interface CartItem {
  id: string;
  /** The product's. */
  name: string;
  /** Dollars. */
  price: number;
  quantity: number;
  /** The kind of product. */
  type: string;
  /** The catalog's record. */
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

export interface BuyerInfo {
  name: string;
  email: string;
  phone: string;
}

export interface Details {
  buyerInfo: BuyerInfo;
  attendees: readonly Attendee[];
}

/** An order that holds, or held, this cart's tickets, until it is paid or released. */
export interface Order {
  orderId: string;
  /** The cart's key when it was placed. */
  key: string;
  /** ISO time; after it the tickets are no longer held. */
  heldUntil: string;
  /** Cents, with the fee it was placed with. */
  total: number;
  /** What it buys. */
  items: readonly Pick<CartItem, "id" | "quantity">[];
  /** Where its tickets are sent. */
  email: string;
  /** Empty when there is nothing to pay; absent while its payment is open only in another browser. */
  clientSecret?: string;
}

/** How the last payment ended, as the confirmation shows it in every tab. */
export interface Paid {
  orderId: string;
  email: string;
  result: "confirmed" | "unconfirmed" | "refunded";
  /** Why the payment is refunded: confirm_order's reason. */
  reason?: string;
  /** What was added to the cart while this order was paid is not part of it. */
  isCartLeft?: boolean;
}

export interface Cart extends Details {
  items: readonly CartItem[];
  /** The shop's setting, as last read. */
  vipIncludesParking: boolean;
  /** As the buyer typed it. The server decides whether it is valid. */
  promoCode?: string | undefined;
  /** The paid general pass that VIP replaced. It comes back when VIP is removed. */
  replacedParking?: CartItem | undefined;
  /** The user who typed the details and placed the order. */
  owner?: string | undefined;
  /** The details when a tab last continued to payment: tabs at the payment order these, whatever is typed meanwhile. */
  agreed?: Details | undefined;
  /**
   * The idempotency key of this cart's order. A change of what would be ordered renews it in the same write, so all tabs at the
   * payment place the same order.
   */
  key?: string | undefined;
  order?: Order | undefined;
  paid?: Paid | undefined;
}

export const emptyCart: Cart = {
  items: [],
  attendees: [],
  buyerInfo: { name: "", email: "", phone: "" },
  vipIncludesParking: true,
};
