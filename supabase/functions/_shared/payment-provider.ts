// An order's payment intent: creates it, finds it again and closes it. The idempotency key is derived from the order, so that
// a second call finds the same intent and the database needs no second write to remember it.
import type Stripe from "stripe";
import { z } from "zod";
import { FunctionError } from "./errors.ts";
import { createProviderPace } from "./provider-pace.ts";

export interface PayableOrder {
  readonly orderId: string;
  readonly totalCents: number;
}

/** The calls that every order makes. The provider limits each by itself. */
const paced = { create: createProviderPace(), retrieve: createProviderPace(), cancel: createProviderPace() };

/** The provider's minimum charge in US dollars. */
export const MINIMUM_CHARGE_CENTS = 50;

/**
 * The order's intent, created if there is none yet. A repeated call returns the first response verbatim: its status may be
 * outdated, so use `intentNow` for the status. Cards only (wallets are cards too): slower ways of paying outlast a hold.
 */
export function intentFor(stripe: Stripe, order: PayableOrder): Promise<Stripe.PaymentIntent> {
  const wanted: Stripe.PaymentIntentCreateParams = {
    amount: order.totalCents,
    currency: "usd",
    allowed_payment_method_types: ["card"],
    // Nothing that may change later (an account can be deleted): the same key must come with the same parameters.
    metadata: { order_id: order.orderId },
  };
  return withKey(`order-${order.orderId}`, (keyed) =>
    paced.create(() => fromProvider(() => stripe.paymentIntents.create(wanted, keyed))),
  );
}

/**
 * The id of the order's intent. Undefined when no key is left to create it with: no call has succeeded and none will for hours, so
 * nobody has a secret to pay with.
 */
export async function intentIdOf(stripe: Stripe, order: PayableOrder): Promise<string | undefined> {
  try {
    return (await intentFor(stripe, order)).id;
  } catch (error) {
    if (isRepeatedFailure(error)) return undefined;
    throw error;
  }
}

/** A call that the provider fails uses up one, and each later call goes through those before. */
const MOST_KEYS = 20;

/**
 * Calls the provider with a key for the work. A failure of the provider's own may be kept under the key and repeated for 24 hours;
 * then the work goes on under the next key (`isNext`), which later calls reach the same way. The failed call may have done the work.
 */
export async function withKey<T>(
  key: string,
  call: (keyed: Stripe.RequestOptions, isNext: boolean) => Promise<T>,
): Promise<T> {
  for (let nth = 1; ; nth++) {
    // The SDK repeats a call whose key is in use. Under a next key it would also find the failure it has just caused, and so use
    // up all keys in one call.
    const keyed =
      nth === 1 ? { idempotencyKey: key } : { idempotencyKey: `${key}-${nth}`, maxNetworkRetries: 0 };
    try {
      return await call(keyed, nth > 1);
    } catch (error) {
      if (nth === MOST_KEYS || !isRepeatedFailure(error)) throw error;
    }
  }
}

const repeatedFailure = z.object({
  statusCode: z.number().min(500),
  headers: z.object({ "idempotent-replayed": z.literal("true") }),
});
const isRepeatedFailure = (error: unknown): boolean =>
  error instanceof FunctionError && repeatedFailure.safeParse(error.cause).success;

export function intentNow(stripe: Stripe, intentId: string): Promise<Stripe.PaymentIntent> {
  return paced.retrieve(() => fromProvider(() => stripe.paymentIntents.retrieve(intentId)));
}

/** Cancels an intent unless it has moved on; returns it as it is now. */
export async function closeIntent(
  stripe: Stripe,
  intent: Stripe.PaymentIntent,
): Promise<Stripe.PaymentIntent> {
  if (isFinal(intent)) return intent;
  try {
    return await paced.cancel(() => fromProvider(() => stripe.paymentIntents.cancel(intent.id)));
  } catch (error) {
    if (providerCode(error) === "payment_intent_unexpected_state") return intentNow(stripe, intent.id);
    throw error;
  }
}

/** Succeeded, cancelled, or under way at the bank: it cannot be cancelled. */
function isFinal(intent: Stripe.PaymentIntent): boolean {
  return ["succeeded", "canceled", "processing", "requires_capture"].includes(intent.status);
}

export function isMissing(error: unknown): boolean {
  return providerCode(error) === "resource_missing";
}

/** Calls the SDK; its failures become `payment_provider_unavailable`, with the SDK's error as the cause. */
export async function fromProvider<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw providerFailure(error);
  }
}

function providerFailure(error: unknown): FunctionError {
  return new FunctionError(
    "payment_provider_unavailable",
    "The payment provider cannot be reached right now. Your tickets are still held: please try again.",
    { cause: error },
  );
}

/** The provider's own error code, whether or not the error was wrapped. */
function providerCode(error: unknown): string | undefined {
  const original = error instanceof FunctionError ? error.cause : error;
  if (typeof original !== "object" || original === null || !("code" in original)) return undefined;
  return typeof original.code === "string" ? original.code : undefined;
}
