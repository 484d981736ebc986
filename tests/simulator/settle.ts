// The quiet after a run: time passes, every job has had its way, and then the last tickets are sold, so that "sold out" can
// be checked exactly.
import type { Client } from "pg";
import type { Answer, Wishes } from "./carts.ts";
import type { Intent, Provider } from "./provider.ts";
import type { SimulatedShop } from "./shop.ts";

export interface Quiet {
  /** Reconciles payments, expires holds, drains the outbox until nothing is left. */
  settle(): Promise<void>;
  sellOut(): Promise<void>;
}

export function createQuiet(client: Client, provider: Provider, shop: SimulatedShop, wishes: Wishes): Quiet {
  const reconciled = new Set<Intent>();
  const run = (name: string, text: string, ...values: unknown[]) => client.query({ name, text, values });

  async function confirm(paid: readonly Intent[]): Promise<void> {
    if (paid.length === 0) return;
    await run(
      "confirm",
      "select public.confirm_order(o, p, c) from unnest($1::uuid[], $2::text[], $3::integer[]) as u (o, p, c)",
      paid.map(({ orderId }) => orderId),
      paid.map(({ id }) => id),
      paid.map(({ cents }) => cents),
    );
  }

  async function reconcile(): Promise<void> {
    const paid = provider.intents("succeeded").filter((intent) => !reconciled.has(intent));
    for (const intent of paid) reconciled.add(intent);
    await confirm(paid);
  }

  async function expire(): Promise<void> {
    const { rows } = await run(
      "pending",
      "select id, (total_amount * 100)::integer as cents from public.orders where status = 'pending'",
    );
    const unpaid = rows.filter(
      ({ id, cents }) => cents === 0 || provider.close(provider.intentFor(id, cents)) === "canceled",
    );
    if (unpaid.length === 0) return;
    await run(
      "expire",
      "select public.expire_holds($1::uuid[])",
      unpaid.map(({ id }) => id),
    );
  }

  async function drain(): Promise<number> {
    // Whatever lease a crash left behind is over.
    await run("time", "update public.outbox set next_attempt_at = now() where done_at is null");
    const { rows } = await run("claim", "select * from public.claim_outbox(100)");
    if (rows.length === 0) return 0;
    const late: Intent[] = [];
    const refunds: string[] = [];
    for (const { kind, payload } of rows) {
      const intent = () => provider.intentFor(payload.order_id, payload.total_cents ?? payload.cents);
      if (kind === "cancel_intent" && provider.close(intent()) === "succeeded") late.push(intent());
      if (kind !== "refund") continue;
      provider.refund(intent(), payload.refund_id, payload.cents);
      refunds.push(payload.refund_id);
    }
    await confirm(late);
    await run(
      "refunded",
      "select public.mark_refund(r, 're_' || r, 'succeeded') from unnest($1::uuid[]) as r",
      refunds,
    );
    await run(
      "complete",
      "select public.complete_outbox(id) from unnest($1::bigint[]) as id",
      rows.map(({ id }) => id),
    );
    return rows.length;
  }

  async function left(ticketType: string): Promise<number> {
    const { rows } = await run(
      "left",
      "select current_inventory as left from public.ticket_types where id = $1",
      ticketType,
    );
    return rows[0].left;
  }

  async function settle(): Promise<void> {
    await reconcile();
    await expire();
    while ((await drain()) > 0);
  }

  return {
    settle,
    async sellOut() {
      for (const kind of ["general", "vip"] as const) {
        for (let sold = 1; sold > 0;) {
          // One more than there is: the last one must be refused.
          const carts = shop.buyers
            .slice(0, (await left(shop[kind].id)) + 1)
            .map((buyer) => wishes.cart(buyer, { general: 0, vip: 0, parking: 0, [kind]: 1 }));
          const { rows } = await run(
            "reserve",
            "select public.reserve_orders($1) as answers",
            JSON.stringify(carts),
          );
          const placed = (rows[0].answers as Answer[]).filter(({ ok }) => ok);
          for (const { order_id, total_cents } of placed)
            provider.pay(provider.intentFor(order_id, total_cents));
          sold = placed.length;
          if (sold > 0) await settle();
        }
      }
    },
  };
}
