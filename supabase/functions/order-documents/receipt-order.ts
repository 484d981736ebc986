// The order as its receipt shows it: payments that succeeded, and refunds that did not fail.
import type { FunctionDeps } from "../_shared/deps.ts";
import type { ReceiptOrder } from "../_shared/documents/receipt.ts";
import { rowsOf } from "../_shared/database.ts";

interface OrderRow extends ReceiptOrder {
  readonly user_id: string | null;
}

export function readReceipt(deps: FunctionDeps, orderId: string): Promise<OrderRow | null> {
  return rowsOf(
    "order",
    deps.supabase
      .from("orders")
      .select(
        "id, user_id, created_at, confirmed_at, status, buyer_full_name, buyer_email, total_amount, discount_amount, promo_code, fee_amount, fee_name, order_items(name, quantity, unit_price, included), payments(payment_intent_id, amount, currency, created_at), refunds(amount, status, created_at, succeeded_at, payments(currency))",
      )
      .eq("id", orderId)
      .neq("payments.status", "failed")
      .neq("refunds.status", "failed")
      .order("position", { referencedTable: "order_items" })
      .order("created_at", { referencedTable: "payments" })
      .order("created_at", { referencedTable: "refunds" })
      .maybeSingle<OrderRow>(),
  );
}
