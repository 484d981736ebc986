// The way from a cart to a paid order.
import { expect } from "vitest";
import type { CatalogItem } from "./cart.ts";
import type { World } from "./world.ts";

export async function readCatalog(
  world: World,
): Promise<Record<"general" | "vip" | "parking" | "preferred", CatalogItem>> {
  const rows = await world.sql<{ id: string; name: string; price: string; type: CatalogItem["type"] }>(
    `select id, name, price, 'ticket' as type from public.ticket_types
     union all select id, type_name, price, 'parking' from public.parking_passes`,
  );
  const find = (word: RegExp): CatalogItem => {
    const found = rows.find((row) => word.test(row.name));
    if (!found) throw new Error(`nothing in the catalog is called ${word}`);
    return { ...found, price: Number(found.price) };
  };
  return {
    general: find(/general admission/i),
    vip: find(/vip/i),
    parking: find(/general parking/i),
    preferred: find(/preferred/i),
  };
}

export interface Placed {
  readonly orderId: string;
  readonly paymentIntentId: string;
  readonly clientSecret: string;
}

export async function place(world: World, user: string, cart: object, key?: string): Promise<Placed> {
  const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  const answer = await world.call("create-payment-intent", { as: user, body: cart, headers });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}

export async function pay(world: World, placed: Pick<Placed, "paymentIntentId">) {
  return world.stripe.paymentIntents.confirm(placed.paymentIntentId, {
    payment_method: "pm_card_visa",
    return_url: "http://shop.test/dashboard",
  });
}

/** Everything that a refused call must leave unchanged. */
export async function books(world: World) {
  const [row] = await world.sql(`select
    (select json_agg(t order by id) from (select id, current_inventory, held, sold, price from public.ticket_types) t) as tickets,
    (select json_agg(p order by id) from (select id, current_inventory, held, sold, price from public.parking_passes) p) as parking,
    (select json_agg(o order by id) from (select id, status, payment_intent_id from public.orders) o) as orders,
    (select count(*) from public.tickets) as issued, (select count(*) from public.payments) as payments,
    (select count(*) from payments_sandbox.objects) as provider_objects,
    (select count(*) from public.outbox) as outbox`);
  return row;
}

/** Makes the order's hold expire a minute ago. */
export async function letHoldRunOut(world: World, orderId: string): Promise<void> {
  await world.sql(
    "update public.orders set hold_expires_at = now() - interval '1 minute' where id = $1",
    orderId,
  );
}

export async function statusOf(world: World, orderId: string): Promise<string> {
  const [order] = await world.sql<{ status: string }>(
    "select status from public.orders where id = $1",
    orderId,
  );
  return order!.status;
}
