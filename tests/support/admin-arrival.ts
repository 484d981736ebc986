// Ways to begin a test in the back office: as an administrator of this test alone, with orders that were really placed.
import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { type Account, createAccount } from "./accounts.ts";
import { arriveSignedIn, asService, catalogue } from "./arrival.ts";
import type { OwnItem } from "./own-items.ts";
import { status } from "./fixtures.ts";

export async function arriveAsAdmin(page: Page): Promise<Account> {
  const account = await createAccount(status());
  const { error } = await asService().from("user_roles").insert({ user_id: account.id, role: "admin" });
  if (error) throw error;
  await arriveSignedIn(page, account);
  return account;
}

/** An order of General Admission tickets by default, and of General Parking if asked for, as the functions place it; paid too when asked for. */
export async function placeOrder({
  buyerName,
  buyer,
  type = catalogue.general,
  quantity = 1,
  parking = false,
  paid = true,
  phone = "713-555-0100",
}: {
  readonly buyerName: string;
  /** A new one by default. */
  readonly buyer?: Account;
  readonly type?: Pick<OwnItem, "id" | "price">;
  readonly quantity?: number;
  readonly parking?: boolean;
  readonly paid?: boolean;
  readonly phone?: string;
}): Promise<string> {
  const account = buyer ?? (await createAccount(status()));
  const service = asService();
  const cart = {
    user_id: account.id,
    idempotency_key: randomUUID(),
    request_hash: "admin test",
    items: [
      { type: "ticket", id: type.id, quantity },
      ...(parking ? [{ type: "parking", id: catalogue.parking.id, quantity: 1 }] : []),
    ],
    attendees: Array.from({ length: quantity }, (_, index) => ({
      name: `Guest ${index + 1} of ${buyerName}`,
      email: account.email,
    })),
    buyer: { name: buyerName, email: account.email, phone },
    total_cents: (quantity * type.price + (parking ? catalogue.parking.price : 0)) * 100,
  };
  const { data, error } = await service.rpc("reserve_orders", { carts: [cart] });
  if (error) throw error;
  const [reserved] = data as { ok: boolean; order_id: string; total_cents: number }[];
  if (!reserved?.ok) throw new Error(`not reserved: ${JSON.stringify(data)}`);
  if (paid) {
    const confirmed = await service.rpc("confirm_order", {
      p_order_id: reserved.order_id,
      p_payment_intent_id: `pi_test_${randomUUID()}`,
      p_amount_cents: reserved.total_cents,
    });
    if (confirmed.error) throw confirmed.error;
  }
  return reserved.order_id;
}
