// The buyer returns from the provider's own page: its session leads to the intent, and the intent leads to the order.
import type Stripe from "stripe";
import { z } from "zod";
import { confirmOwnOrder, orderNotFound } from "../_shared/confirmation.ts";
import type { FunctionDeps } from "../_shared/deps.ts";
import { validCodes } from "../_shared/entry-codes.ts";
import { FunctionError } from "../_shared/errors.ts";
import { readBody, userFunction } from "../_shared/handler.ts";
import { fromProvider, isMissing } from "../_shared/payment-provider.ts";
import { ensureQrCodes, logFailure } from "../_shared/qr-code.ts";
import { limitPayments } from "../_shared/user-limits.ts";

const body = z.object({ sessionId: z.string().regex(/^cs_[A-Za-z0-9_]{1,200}$/, "not a checkout session") });

export const handler = userFunction(async (request, deps, caller) => {
  const { sessionId } = await readBody(request, body);
  await limitPayments(deps, caller.userId, sessionId);
  const intent = await intentOf(await deps.stripe(), sessionId);
  const { orderId, status } = await confirmOwnOrder(deps, intent, caller.userId);
  const qrCodesGenerated = await generateMissing(deps, orderId);
  return { success: status !== "refund_queued", orderId, status, stats: { qrCodesGenerated } };
});

async function intentOf(stripe: Stripe, sessionId: string): Promise<Stripe.PaymentIntent> {
  const session = await fromProvider(() =>
    stripe.checkout.sessions.retrieve(sessionId, { expand: ["payment_intent"] }),
  ).catch((error: unknown) => {
    throw isMissing(error) ? orderNotFound() : error;
  });
  if (session.payment_intent === null || typeof session.payment_intent === "string") {
    throw new FunctionError("payment_not_completed", "This payment has not been completed yet.", {
      details: { status: session.payment_status },
    });
  }
  return session.payment_intent;
}

/** Returns how many were new. A failure does not undo a payment: the code's page retries. */
async function generateMissing(deps: FunctionDeps, orderId: string): Promise<number> {
  try {
    const codes = await ensureQrCodes(deps, await validCodes(deps, orderId));
    return codes.filter(({ generated }) => generated).length;
  } catch (error) {
    logFailure(deps.log, error, { orderId }, "QR codes not generated");
    return 0;
  }
}
