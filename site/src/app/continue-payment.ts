// Resumes the payment of a pending order, in any browser: fills the cart from the order and remembers its idempotency key,
// which finds the order again. Composes cart, checkout and orders.
import { useNavigate } from "react-router";
import { useCart } from "#features/checkout/cart/cart-provider.tsx";
import type { Attendee, CartItem } from "#features/checkout/cart/items.ts";
import { hasVip } from "#features/checkout/cart/model.ts";
import { seatsOf } from "#features/checkout/cart/seats.ts";
import { rememberAttempt, rememberedAttempt } from "#features/checkout/payment/attempt.ts";
import type { CheckoutLocation } from "#features/checkout/location-state.ts";
import { orderRequest } from "#features/checkout/model.ts";
import { sortedItems, type Order } from "#features/orders/model.ts";
import { toCents } from "contract/shop/money";
import { z } from "zod";

const orderAttendees = z.array(z.object({ name: z.string(), email: z.string(), ticket_type_id: z.string() }));

export function useContinuePayment(userId: string): (order: Order) => void {
  const cart = useCart(userId);
  const navigate = useNavigate();
  return (order) => {
    const items = itemsOf(order);
    const buyerInfo = {
      name: order.buyer_full_name,
      email: order.buyer_email,
      phone: order.buyer_phone_number,
    };
    const attendees = attendeesOf(order);
    const promoCode = order.promo_code ?? undefined;
    const fingerprint = JSON.stringify(
      orderRequest({
        items,
        seats: seatsOf(items, attendees),
        buyerInfo,
        total: toCents(order.total_amount),
        promoCode,
      }),
    );
    // As when the order was placed: the shop's setting may have changed since. Without VIP, the order does not say.
    const vipIncludesParking = hasVip({ items })
      ? order.order_items.some(({ included }) => included)
      : cart.vipIncludesParking;
    cart.load({ items, attendees, buyerInfo, promoCode, vipIncludesParking });
    // Keep what this browser already knows about the payment.
    const known = rememberedAttempt(userId);
    if (known?.payment?.orderId !== order.id) {
      rememberAttempt({
        userId,
        fingerprint,
        idempotencyKey: order.idempotency_key ?? "",
        ...(order.hold_expires_at !== null && { heldUntil: order.hold_expires_at }),
      });
    } else {
      rememberAttempt({ ...known, fingerprint });
    }
    void navigate("/checkout", { state: { step: "payment" } satisfies CheckoutLocation });
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
