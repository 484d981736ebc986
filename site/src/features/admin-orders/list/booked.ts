// Orders and refunds in the form that bookkeeping exports.
import { z } from "zod";
import { parseAnswer } from "#lib/lists/back-office-reads.ts";
import type { Row, WithItems } from "../model.ts";

/** An order with the amounts paid and refunded. */
const bookedOrder = z.object({
  id: z.string(),
  buyer_full_name: z.string(),
  buyer_email: z.string(),
  buyer_phone_number: z.string(),
  status: z.string(),
  channel: z.string(),
  items: z.string(),
  total_amount: z.number(),
  discount_amount: z.number(),
  promo_code: z.string().nullable(),
  fee_amount: z.number(),
  fee_name: z.string().nullable(),
  paid_by: z.string().nullable(),
  tags: z.string().nullable(),
  paid: z.number(),
  refunded: z.number(),
  payment_intent_id: z.string().nullable(),
  created_at: z.string(),
  cancelled_at: z.string().nullable(),
  cancel_reason: z.string().nullable(),
});
export type BookedOrder = z.infer<typeof bookedOrder>;

/** @throws Error when the response has another shape */
export function parseBookedOrders(answer: unknown): BookedOrder[] {
  return parseAnswer("orders", z.array(bookedOrder), answer);
}

export interface BookedRefund extends WithItems<Row<"refunds">> {
  orders: Pick<Row<"orders">, "buyer_full_name" | "buyer_email">;
  payments: Pick<Row<"payments">, "currency">;
  refund_notes: { note: string } | null;
}
