// Handles the provider's events. Only a signature over the exact bytes authenticates one. Events may come late, twice or out of
// order, and the SQL they call tolerates that. What cannot be done now is not answered with success, so that the provider retries.
import { z } from "zod";
import type Stripe from "stripe";
import { confirmOrder, orderIdOf } from "../_shared/confirmation.ts";
import type { FunctionDeps } from "../_shared/deps.ts";
import { FunctionError } from "../_shared/errors.ts";
import { publicFunction } from "../_shared/handler.ts";
import { fromProvider } from "../_shared/payment-provider.ts";
import {
  noteDispute,
  recordDispute,
  recordPaymentFailure,
  recordRefund,
} from "../_shared/payment-records.ts";

/** How far the provider's clock may run ahead of ours. */
const AHEAD_MS = 300_000;

export const handler = publicFunction(async (request, deps) => {
  const event = await verifiedEvent(request, deps);
  await apply(event, deps);
  return { received: true };
});

async function verifiedEvent(request: Request, deps: FunctionDeps): Promise<Stripe.Event> {
  const signature = request.headers.get("stripe-signature") ?? "";
  const payload = await request.text();
  const stripe = await deps.stripe();
  try {
    // The SDK refuses old signatures, but not post-dated ones, which could be kept and replayed later.
    if (signedAt(signature) * 1000 > deps.now() + AHEAD_MS)
      throw new Error("The event comes from the future");
    await stripe.webhooks.constructEventAsync(payload, signature, deps.payments.webhookSecret);
  } catch (error) {
    // The SDK compares the time once the signature is right.
    const isOld = /timestamp outside the tolerance/i.test(String(error));
    throw new FunctionError(
      "invalid_signature",
      isOld
        ? "The event was signed more than five minutes ago. Is this server's clock right?"
        : "The signature does not belong to this body.",
      { cause: error },
    );
  }
  const sent: unknown = JSON.parse(payload);
  if (!eventShape.safeParse(sent).success)
    throw new FunctionError("invalid_request", "This is no event of the provider.");
  return sent as Stripe.Event;
}

const eventShape = z.object({
  id: z.string(),
  type: z.string(),
  data: z.object({ object: z.looseObject({}) }),
});

/** In seconds. The SDK takes the last of several times and parses it leniently, so only an unambiguous time is accepted. */
function signedAt(signature: string): number {
  const [time = "", ...others] = signature.split(",").filter((item) => item.split("=", 1)[0] === "t");
  const seconds = /^t=(\d+)$/.exec(time)?.[1];
  if (seconds === undefined || others.length > 0)
    throw new Error("The signature must contain exactly one time");
  return Number(seconds);
}

async function apply(event: Stripe.Event, deps: FunctionDeps): Promise<void> {
  switch (event.type) {
    case "payment_intent.succeeded": {
      const intent = event.data.object;
      if (orderIdOf(intent) === undefined) return;
      const { status } = await confirmOrder(deps, intent);
      // The account may serve another installation too, so an unknown order is logged, not refunded.
      if (status === "not_found")
        deps.log.error({ paymentIntentId: intent.id }, "payment for an order that is not here");
      return;
    }
    case "payment_intent.payment_failed":
      return recordPaymentFailure(deps, event);
    case "refund.created":
    case "refund.updated":
    case "refund.failed":
      return recordRefund(deps, event.data.object);
    case "charge.refunded": {
      const stripe = await deps.stripe();
      const charge = event.data.object.id;
      const refunds = await fromProvider(() => stripe.refunds.list({ charge, limit: 100 }));
      for (const refund of refunds.data) await recordRefund(deps, refund);
      return;
    }
    case "charge.dispute.updated":
      return noteDispute(deps, { dispute: event.data.object, at: event.created });
    case "charge.dispute.created":
    case "charge.dispute.closed":
      return recordDispute(deps, { dispute: event.data.object, at: event.created });
    // Not payment_intent.canceled: we cancel intents ourselves when a hold expires, which is not a failed payment, and an order
    // whose intent was cancelled elsewhere ends with its hold.
    default:
  }
}
