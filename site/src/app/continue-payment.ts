// Resumes the payment of a pending order, in any browser: fills the cart from the order and takes over its idempotency key, which
// finds the order again. Composes checkout and orders.
import { useNavigate } from "react-router";
import { useCart } from "#features/checkout/cart/cart-provider.tsx";
import { hasVip } from "#features/checkout/cart/model.ts";
import type { Attendee, CartItem } from "#features/checkout/cart/record.ts";
import type { HistoryEntry } from "#features/checkout/state.ts";
import { sortedItems, type Order } from "#features/orders/model.ts";
import { toCents } from "contract/shop/money";
import { z } from "zod";

const orderAttendees = z.array(z.object({ name: z.string(), email: z.string(), ticket_type_id: z.string() }));

export function useContinuePayment(userId: string): (order: Order) => void {
  const cart = useCart(userId);
  const navigate = useNavigate();
  return (order) => {
    const items = itemsOf(order);
    // As when the order was placed: the shop's setting may have changed since. Without VIP, the order does not say.
    const vipIncludesParking = hasVip({ items })
      ? order.order_items.some(({ included }) => included)
      : cart.vipIncludesParking;
    cart.change({
      type: "resume",
      cart: {
        items,
        attendees: attendeesOf(order),
        buyerInfo: {
          name: order.buyer_full_name,
          email: order.buyer_email,
          phone: order.buyer_phone_number,
        },
        promoCode: order.promo_code ?? undefined,
        vipIncludesParking,
      },
      order: {
        orderId: order.id,
        key: order.idempotency_key ?? "",
        heldUntil: order.hold_expires_at ?? "",
        total: toCents(order.total_amount),
        items,
        email: order.buyer_email,
      },
    });
    void navigate("/checkout", { state: { step: "payment" } satisfies HistoryEntry });
  };
}

/** The cart does not list parking that came free with VIP. */
function itemsOf(order: Order): CartItem[] {
  return sortedItems(order).flatMap(({ product_id, kind, name, quantity, unit_price, included }) =>
    included ? [] : [{ id: product_id, name, price: unit_price, quantity, type: kind, itemData: {} }],
  );
}

function attendeesOf({ attendees }: Order): Attendee[] {
  const places = new Map<string, number>();
  return orderAttendees.parse(attendees).map(({ name, email, ticket_type_id }) => {
    const position = places.get(ticket_type_id) ?? 0;
    places.set(ticket_type_id, position + 1);
    return { name, email, ticketTypeId: ticket_type_id, position };
  });
}
