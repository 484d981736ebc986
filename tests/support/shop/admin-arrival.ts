// Ways to start a test in the back office: as this test's own administrator, with orders that were really placed.
import type { Page } from "@playwright/test";
import { type Account, createAccount } from "./accounts.ts";
import { arriveSignedIn, serviceClient, catalog } from "./arrival.ts";
import type { OwnItem } from "./own-items.ts";
import { status } from "../fixtures.ts";
import { sellOrder } from "./sell.ts";

export async function arriveAsAdmin(page: Page): Promise<Account> {
  const account = await createAccount(status());
  const { error } = await serviceClient().from("user_roles").insert({ user_id: account.id, role: "admin" });
  if (error) throw error;
  await arriveSignedIn(page, account);
  return account;
}

/** Places an order as the functions do: General Admission tickets by default, General Parking if requested, and paid if requested. */
export async function placeOrder({
  buyerName,
  buyer,
  type = catalog.general,
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
  return sellOrder(serviceClient(), {
    buyer: { id: account.id, name: buyerName, email: account.email, phone },
    items: [
      { type: "ticket", id: type.id, quantity },
      ...(parking ? [{ type: "parking", id: catalog.parking.id, quantity: 1 }] : []),
    ],
    attendees: Array.from({ length: quantity }, (_, index) => ({
      name: `Guest ${index + 1} of ${buyerName}`,
      email: account.email,
    })),
    cents: (quantity * type.price + (parking ? catalog.parking.price : 0)) * 100,
    paid,
  });
}
