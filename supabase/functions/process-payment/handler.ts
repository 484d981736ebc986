// The browser claims that the order is paid, but only the provider's word counts. For an order that costs nothing, the buyer's word
// is enough.
import { z } from "zod";
import { confirmFreeOrder, confirmOwnOrder, orderNotFound } from "../_shared/confirmation.ts";
import { readBody, userFunction } from "../_shared/handler.ts";
import { intentNow, isMissing } from "../_shared/payment-provider.ts";
import { limitPayments } from "../_shared/user-limits.ts";

const body = z.union([
  z.object({ orderId: z.uuid() }),
  z.object({ paymentIntentId: z.string().regex(/^pi_[A-Za-z0-9_]{1,200}$/, "not a payment intent") }),
]);

export const handler = userFunction(async (request, deps, caller) => {
  const paid = await readBody(request, body);
  if ("orderId" in paid) {
    await limitPayments(deps, caller.userId, paid.orderId);
    return { success: true, ...(await confirmFreeOrder(deps, paid.orderId, caller.userId)) };
  }
  const { paymentIntentId } = paid;
  await limitPayments(deps, caller.userId, paymentIntentId);
  const intent = await intentNow(await deps.stripe(), paymentIntentId).catch((error: unknown) => {
    throw isMissing(error) ? orderNotFound() : error;
  });
  const confirmation = await confirmOwnOrder(deps, intent, caller.userId);
  return { success: confirmation.status !== "refund_queued", ...confirmation };
});
