// The end of a crash run: everything comes to rest, and the tables are compared with what people were promised.
import { bringToRest } from "../promise/rest.ts";
import { faultsAtProvider, type Sql } from "../promise/provider-books.ts";
import type { Promised } from "../promise/shopper.ts";
import { faultsInBooks } from "../simulator/books.ts";

interface Order {
  readonly status: string;
  readonly reason: string | null;
}

export async function reckon(
  sql: Sql,
  job: (name: string) => Promise<boolean>,
  promised: readonly Promised[],
): Promise<string[]> {
  // The provider's own deliveries wait up to five minutes for their next attempt, and cards for the bank.
  const deliver = async () => {
    await sql(
      "update payments_sandbox.deliveries set next_attempt_at = now() where next_attempt_at is not null",
    );
    await new Promise((done) => setTimeout(done, 1000));
  };
  const stuck = await bringToRest({ sql, job, deliver }, 40);
  const faults = [...stuck, ...(await faultsInBooks(sql, true)), ...(await faultsAtProvider(sql))];

  const rows = await sql("select id, status, cancel_reason as reason from public.orders");
  const orders = new Map(rows.map(({ id, ...order }) => [String(id), order as unknown as Order]));
  for (const { orderId, outcome } of promised) {
    if (orderId === undefined) continue;
    const order = orders.get(orderId);
    if (!order) faults.push(`order ${orderId} was acknowledged and is gone`);
    else if (outcome === "tickets" && order.status !== "confirmed" && order.reason !== "refunded")
      faults.push(`order ${orderId} was confirmed to its buyer and is ${order.status} (${order.reason})`);
  }
  return faults;
}
