// A paid intent becomes a confirmed order. Browser, webhook and reconcile job all come through here; SQL makes repeated
// confirmations harmless.
import type Stripe from "stripe";
import type { Confirmation } from "./answers.ts";
import type { FunctionDeps } from "./deps.ts";
import { FunctionError } from "./errors.ts";

/** The order an intent pays for; undefined when it is not ours. */
export function orderIdOf(intent: Pick<Stripe.PaymentIntent, "metadata">): string | undefined {
  const id = intent.metadata.order_id;
  return id !== undefined && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id) ? id : undefined;
}

/** The last call in each line. */
const lines = new Map<string, Promise<unknown>>();

/**
 * One after the other: each holds a connection while it waits for the buyer's lock, and the few connections for confirmations are
 * everybody's.
 */
async function inLine<T>(line: string, confirm: () => Promise<T>): Promise<T> {
  const turn = (lines.get(line) ?? Promise.resolve()).then(confirm, confirm);
  lines.set(line, turn);
  try {
    return await turn;
  } finally {
    if (lines.get(line) === turn) lines.delete(line);
  }
}

/** `userId` restricts it to that buyer's orders; a job passes none. The intent must have succeeded. */
export async function confirmOrder(
  deps: FunctionDeps,
  intent: Stripe.PaymentIntent,
  userId?: string,
): Promise<Confirmation> {
  const orderId = orderIdOf(intent);
  if (orderId === undefined) return { status: "not_found", order_id: null };
  const confirmation = await inLine(userId ?? orderId, () => confirmPayment(deps, orderId, intent, userId));
  // A repeated confirmation has nothing to mail, and only a refusal returns money.
  if (confirmation.status === "confirmed") deps.outboxFilled("mail");
  if (confirmation.status === "refund_queued") deps.outboxFilled();
  return confirmation;
}

async function confirmPayment(
  { sql }: FunctionDeps,
  orderId: string,
  { id, amount_received, currency }: Stripe.PaymentIntent,
  userId: string | undefined,
): Promise<Confirmation> {
  const payment = { order_id: orderId, payment_intent_id: id, amount_cents: amount_received, currency };
  const [confirmed] = await sql("confirm_orders", { payments: [{ ...payment, user_id: userId }] });
  if (confirmed) return confirmed;
  return sql("confirm_order", {
    p_order_id: orderId,
    p_payment_intent_id: id,
    p_amount_cents: amount_received,
    p_currency: currency,
    ...(userId === undefined ? {} : { p_user_id: userId }),
  });
}

/** For a buyer who claims to have paid. An unknown order and another buyer's order get the same refusal. */
export async function confirmOwnOrder(
  deps: FunctionDeps,
  intent: Stripe.PaymentIntent,
  userId: string,
): Promise<{ orderId: string } & Pick<Confirmation, "status" | "reason">> {
  if (intent.status !== "succeeded") {
    if (!(await ownsOrder(deps, orderIdOf(intent), userId))) throw orderNotFound();
    throw new FunctionError("payment_not_completed", "This payment has not been completed yet.", {
      details: { status: intent.status },
    });
  }
  const { status, order_id, reason } = await confirmOrder(deps, intent, userId);
  if (status === "not_found" || order_id === null) throw orderNotFound();
  return { orderId: order_id, status, ...(reason !== undefined && { reason }) };
}

/** For an order that costs nothing. */
export async function confirmFreeOrder(
  deps: FunctionDeps,
  orderId: string,
  userId: string,
): Promise<{ orderId: string; status: "confirmed" | "already_confirmed" }> {
  const { status } = await inLine(userId, () =>
    deps.sql("confirm_free_order", { p_order_id: orderId, p_user_id: userId }),
  );
  switch (status) {
    case "not_found":
      throw orderNotFound();
    case "not_free":
      throw new FunctionError("payment_not_completed", "This payment has not been completed yet.");
    case "cancelled":
      throw new FunctionError(
        "order_cancelled",
        "The tickets held for this order were released. Please try again.",
      );
    default:
      if (status === "confirmed") deps.outboxFilled("mail");
      return { orderId, status };
  }
}

async function ownsOrder(deps: FunctionDeps, orderId: string | undefined, userId: string): Promise<boolean> {
  if (orderId === undefined) return false;
  const order = await deps.sql("read_order", { p_order_id: orderId });
  return order?.user_id === userId;
}

export function orderNotFound(): FunctionError {
  return new FunctionError("order_not_found", "We couldn't find the order you're looking for.");
}
