// The cart becomes a held order and something to pay it with. One round trip to the database, then one to the provider;
// no stock is locked while the provider thinks. When it fails the hold stays, and the same key tries again.
import { createPaymentIntentSchema } from "contract/schemas";
import { toDollars } from "contract/money";
import { FunctionError, readBody, userFunction } from "../_shared/handler.ts";
import { intentFor, MINIMUM_CHARGE_CENTS } from "../_shared/payment-provider.ts";
import { cartOf, requireReserved } from "../_shared/reservation.ts";

export const handler = userFunction(async (request, deps, caller) => {
  const wish = await readBody(request, createPaymentIntentSchema);
  const key = idempotencyKey(request.headers.get("idempotency-key") ?? wish.idempotencyKey);
  const cart = await cartOf(wish, key, caller, deps.address(request));
  if (cart.total_cents < MINIMUM_CHARGE_CENTS) {
    throw new FunctionError("amount_too_small", "An order must come to at least $0.50 to be paid by card.");
  }
  const order = requireReserved(await deps.reserve(cart));
  const intent = await intentFor(await deps.stripe(), {
    orderId: order.order_id,
    totalCents: order.total_cents,
  });
  return {
    clientSecret: intent.client_secret,
    orderId: order.order_id,
    // A key used again may find its order paid already: there is nothing left to pay then.
    orderStatus: order.status,
    paymentIntentId: intent.id,
    holdExpiresAt: order.hold_expires_at,
    totalAmount: toDollars(order.total_cents),
  };
});

/** Without one, every call is a new wish: the buyer's earlier hold is released as for a changed basket. */
function idempotencyKey(given: string | undefined): string {
  if (given === undefined) return crypto.randomUUID();
  if (!/^[\x21-\x7e]{8,200}$/.test(given)) {
    throw new FunctionError(
      "invalid_request",
      "Idempotency-Key must be 8 to 200 printable characters without spaces.",
    );
  }
  return given;
}
