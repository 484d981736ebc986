// Orders as the functions place them, without the pages before them.
import { randomUUID } from "node:crypto";
import type { SupabaseClient } from "@supabase/supabase-js";

export interface Sale {
  readonly buyer: {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly phone: string;
  };
  readonly items: readonly { readonly type: string; readonly id: string; readonly quantity: number }[];
  readonly attendees: readonly {
    readonly name: string;
    readonly email: string;
    readonly ticket_type_id?: string;
  }[];
  readonly cents: number;
  /** True by default. */
  readonly paid?: boolean;
}

/** Returns the order's id. */
export async function sellOrder(
  service: SupabaseClient,
  { buyer: { id, ...buyer }, items, attendees, cents, paid = true }: Sale,
): Promise<string> {
  const own = { user_id: id, idempotency_key: randomUUID(), request_hash: "test" };
  const cart = { ...own, items, attendees, buyer, total_cents: cents };
  const { data, error } = await service.rpc("reserve_orders", { carts: [cart] });
  if (error) throw error;
  const [reserved] = data as { ok: boolean; order_id: string }[];
  if (!reserved?.ok) throw new Error(`not reserved: ${JSON.stringify(data)}`);
  if (!paid) return reserved.order_id;
  const confirmed = await service.rpc("confirm_order", {
    p_order_id: reserved.order_id,
    p_payment_intent_id: `pi_test_${randomUUID()}`,
    p_amount_cents: cents,
  });
  if (confirmed.error) throw confirmed.error;
  return reserved.order_id;
}
