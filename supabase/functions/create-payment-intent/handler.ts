// Turns a cart into a held order and a payment intent. One round trip to the database, then one to the provider; no stock is
// locked meanwhile. If the provider fails, the hold stays and the same key retries. When orders come faster than they can be
// served, a buyer whose turn has not come gets a place in the waiting room instead.
import { idempotencyKeys } from "contract/limits";
import { createPaymentIntentSchema } from "contract/schemas";
import { toDollars } from "contract/shop/money";
import type { FunctionDeps } from "../_shared/deps.ts";
import { FunctionError } from "../_shared/errors.ts";
import { readBody, userFunction } from "../_shared/handler.ts";
import { intentFor, MINIMUM_CHARGE_CENTS } from "../_shared/payment-provider.ts";
import { type Cart, cartOf, requireReserved, type Reservation } from "../_shared/reservation.ts";
import type { Visit } from "../_shared/waiting-room/room.ts";
import { visitOf, visitRoom } from "../_shared/waiting-room/visit.ts";

export const handler = userFunction(async (request, deps, caller) => {
  const arrivedAt = deps.now();
  const body = await readBody(request, createPaymentIntentSchema);
  const key = idempotencyKey(request.headers.get("idempotency-key") ?? body.idempotencyKey);
  const address = deps.address(request);
  const visit = await visitOf(deps, body, caller, address);
  const cart = await cartOf(deps.sha256, body, key, caller.userId, address);
  if (cart.total_cents > 0 && cart.total_cents < MINIMUM_CHARGE_CENTS) {
    throw new FunctionError("amount_too_small", "An order must come to at least $0.50 to be paid by card.");
  }
  return inTurn(deps, caller.userId, { ...visit, key }, () =>
    placeOrder(deps, { ...cart, arrived_at: arrivedAt, place: visit.place }),
  );
});

/** Together about 1.5 seconds. */
const BUSY_PAUSES_MS = [50, 100, 200, 400, 800];

/**
 * While another order or payment of the buyer is being decided, SQL refuses the cart at once, because other buyers' carts share
 * its transaction. So the wait is here.
 */
async function reserve(deps: FunctionDeps, cart: Cart): Promise<Reservation> {
  for (const pause of BUSY_PAUSES_MS) {
    const answer = await decide(deps, cart);
    if (answer.ok || answer.code !== "concurrent_request") return answer;
    // Not in step with the buyer's other requests.
    await new Promise((done) => setTimeout(done, pause * (0.5 + Math.random())));
  }
  return decide(deps, cart);
}

async function decide({ sql }: FunctionDeps, cart: Cart): Promise<Reservation> {
  const [answer] = await sql("reserve_in_turn", { carts: [cart] });
  if (!answer) throw new Error("reserve_in_turn gave no answer");
  return answer;
}

async function placeOrder(deps: FunctionDeps, cart: Cart) {
  const order = requireReserved(await reserve(deps, cart));
  // A buyer with nothing to pay confirms the order directly (process-payment).
  const intent =
    order.total_cents === 0
      ? undefined
      : await intentFor(await deps.stripe(), {
          orderId: order.order_id,
          totalCents: order.total_cents,
        }).catch((error: unknown) => {
          deps.log.error({ err: error, orderId: order.order_id }, "no payment could be opened for an order");
          throw error;
        });
  return {
    clientSecret: intent?.client_secret ?? null,
    orderId: order.order_id,
    // A repeated key may find its order already paid; then nothing is left to pay.
    orderStatus: order.status,
    paymentIntentId: intent?.id ?? null,
    holdExpiresAt: order.hold_expires_at,
    totalAmount: toDollars(order.total_cents),
  };
}

/** Orders if it is the buyer's turn, or else refuses with a place in the waiting room. */
async function inTurn<T>(
  deps: FunctionDeps,
  buyer: string,
  visit: Visit,
  order: () => Promise<T>,
): Promise<T> {
  if (deps.room.open) await requireTurn(deps, visit);
  try {
    return await deps.room.serve(buyer, order);
  } catch (error) {
    // The room has opened meanwhile, here or in another process.
    if (!(error instanceof FunctionError && error.code === "waiting_room")) throw error;
    await requireTurn(deps, visit);
    return deps.room.serve(buyer, order);
  }
}

async function requireTurn(deps: FunctionDeps, visit: Visit): Promise<void> {
  const answer = await visitRoom(deps, visit);
  if (answer.admitted) return;
  throw new FunctionError("waiting_room", "A lot of people are buying right now. You have a place in line.", {
    details: { ...answer },
  });
}

const { least, most } = idempotencyKeys;
const KEY = new RegExp(`^[\\x21-\\x7e]{${least},${most}}$`);

/** Without a key every call is a new order: the buyer's earlier hold is released, as for a changed cart. */
function idempotencyKey(given: string | undefined): string {
  if (given === undefined) return crypto.randomUUID();
  if (!KEY.test(given)) {
    throw new FunctionError(
      "invalid_request",
      `Idempotency-Key must be ${least} to ${most} printable characters without spaces.`,
    );
  }
  return given;
}
