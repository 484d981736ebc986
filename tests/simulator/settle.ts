// The quiet after a run: time passes, every job has run, and then the last tickets are sold, so that "sold out" can be
// checked exactly.
import type { Client } from "pg";
import type { Answer, Carts } from "./carts.ts";
import { reportDispute } from "./organizers.ts";
import { type Intent, type Provider, providersId } from "./provider.ts";
import type { SimulatedShop } from "./shop.ts";

export class Quiet {
  readonly #client: Client;
  readonly #provider: Provider;
  readonly #shop: SimulatedShop;
  readonly #carts: Carts;
  readonly #reconciled = new Set<Intent>();

  constructor(client: Client, provider: Provider, shop: SimulatedShop, carts: Carts) {
    this.#client = client;
    this.#provider = provider;
    this.#shop = shop;
    this.#carts = carts;
  }

  /** Reconciles payments, expires holds, and drains the outbox until nothing is left. */
  async settle(): Promise<void> {
    await this.#reconcile();
    await this.#expire();
    await this.#hearTheProvider();
    await this.#endRuns();
    // The organizers end the waitlist: the units it kept are available to everybody again.
    await this.#run(
      "end the waitlist",
      "update public.waitlist_entries set state = 'left', offered = 0 where state in ('waiting', 'offered')",
    );
    while ((await this.#drain()) > 0);
    await this.#retry();
    while ((await this.#drain()) > 0);
  }

  /** A person refunds money in the provider's own back office, and records afterwards what some of it was for. */
  async refundElsewhere(): Promise<void> {
    for (const [n, intent] of this.#provider.intents("succeeded").entries()) {
      const kept = this.#provider.kept(intent);
      if (n % 3 > 0 || kept === 0) continue;
      const cents = n % 2 === 0 ? Math.max(1, kept - 4321) : kept;
      const id = `re_elsewhere_${intent.orderId}`;
      this.#provider.refund(intent, id, cents);
      for (const status of ["pending", "succeeded", "succeeded"]) {
        await this.#run(
          "elsewhere",
          "select public.record_provider_refund($1, $2, $3, $4, 'refunded_at_provider')",
          intent.id,
          id,
          cents,
          status,
        );
      }
      await this.#run(
        "as",
        "select set_config('request.jwt.claims', $1, false)",
        JSON.stringify({ sub: this.#shop.admin, role: "authenticated" }),
      );
      await this.#run(
        "void",
        `select public.void_for_refund(r.id, array[t.id], null) from public.refunds r cross join lateral (
            select id from public.tickets where order_id = r.order_id and voided_at is null order by order_item_id, position limit 1) as t
          where r.provider_refund_id = $1 and public.money_of(r.items) <> '[]'
            and (select count(*) from public.tickets where order_id = r.order_id and voided_at is null) > 1`,
        id,
      );
    }
  }

  /** Sells all that is left. For a cancelled festival, nothing can be sold. */
  async sellOut(): Promise<void> {
    const cancelled = await this.#isCancelled();
    for (const kind of ["general", "vip"] as const) {
      for (let sold = 1; sold > 0;) {
        // One more than available: the last one must be refused.
        const carts = this.#shop.buyers
          .slice(0, (await this.#left(this.#shop[kind].id)) + 1)
          .map((buyer) => this.#carts.cart(buyer, { general: 0, vip: 0, parking: 0, [kind]: 1 }));
        const { rows } = await this.#run(
          "reserve",
          "select public.reserve_orders($1) as answers",
          JSON.stringify(carts),
        );
        const placed = (rows[0].answers as Answer[]).filter(({ ok }) => ok);
        for (const { order_id, total_cents } of placed)
          this.#provider.pay(this.#provider.intentFor(order_id, total_cents));
        if (cancelled && placed.length > 0) throw new Error("a cancelled festival sold a ticket");
        sold = placed.length;
        if (sold > 0) await this.settle();
      }
    }
  }

  async #confirm(paid: readonly Intent[]): Promise<void> {
    if (paid.length === 0) return;
    await this.#run(
      "confirm",
      "select public.confirm_order(o, p, c) from unnest($1::uuid[], $2::text[], $3::integer[]) as u (o, p, c)",
      paid.map(({ orderId }) => orderId),
      paid.map(({ id }) => id),
      paid.map(({ cents }) => cents),
    );
  }

  async #reconcile(): Promise<void> {
    const paid = this.#provider.intents("succeeded").filter((intent) => !this.#reconciled.has(intent));
    for (const intent of paid) this.#reconciled.add(intent);
    await this.#confirm(paid);
  }

  async #expire(): Promise<void> {
    const { rows } = await this.#run(
      "pending",
      "select id, (total_amount * 100)::integer as cents from public.orders where status = 'pending'",
    );
    const unpaid = rows.filter(
      ({ id, cents }) =>
        cents === 0 || this.#provider.close(this.#provider.intentFor(id, cents)) === "canceled",
    );
    if (unpaid.length === 0) return;
    await this.#run(
      "expire",
      "select public.expire_holds($1::uuid[])",
      unpaid.map(({ id }) => id),
    );
  }

  async #drain(): Promise<number> {
    // Expires any lease that a crash left behind.
    await this.#run("time", "update public.outbox set next_attempt_at = now() where done_at is null");
    const { rows } = await this.#run("claim", "select * from public.claim_outbox(100)");
    if (rows.length === 0) return 0;
    const late: Intent[] = [];
    const refunds: { id: string; status: string; provider_id: string | null }[] = [];
    for (const { kind, payload } of rows) {
      const intent = () => this.#provider.intentFor(payload.order_id, payload.total_cents ?? payload.cents);
      if (kind === "cancel_intent" && this.#provider.close(intent()) === "succeeded") late.push(intent());
      if (kind !== "refund") continue;
      const outcome = this.#provider.refund(intent(), payload.refund_id, payload.cents);
      refunds.push({
        id: payload.refund_id,
        status: outcome === "succeeded" ? outcome : "failed",
        provider_id: outcome === "refused" ? null : providersId(payload.refund_id),
      });
    }
    await this.#confirm(late);
    await this.#run(
      "refunded",
      "select public.mark_refund(r, p, s) from unnest($1::uuid[], $2::text[], $3::text[]) as u (r, p, s)",
      refunds.map(({ id }) => id),
      refunds.map(({ provider_id }) => provider_id),
      refunds.map(({ status }) => status),
    );
    await this.#run(
      "complete",
      "select public.complete_outbox($1)",
      rows.map(({ id }) => id),
    );
    return rows.length;
  }

  async #isCancelled(): Promise<boolean> {
    const { rows } = await this.#run(
      "cancelled",
      "select status = 'cancelled' as cancelled from public.festival",
    );
    return rows[0].cancelled;
  }

  async #left(ticketType: string): Promise<number> {
    const { rows } = await this.#run(
      "left",
      "select current_inventory as left from public.ticket_types where id = $1",
      ticketType,
    );
    return rows[0].left;
  }

  /** Retries what the provider refused, one by one: each takes of the money that is left for the others. */
  async #retry(): Promise<void> {
    const retryNext = () =>
      this.#run(
        "retry",
        `select public.ask_again(r.id) from public.refunds r join public.payments p using (payment_intent_id)
          where r.status = 'failed' and not r.superseded and not exists (select from public.refunds a where a.retry_of = r.id)
            and r.amount <= p.amount - (select coalesce(sum(g.amount), 0) from public.refunds g
              where g.payment_intent_id = p.payment_intent_id and g.status <> 'failed')
          order by r.id limit 1`,
      );
    while ((await retryNext()).rowCount !== 0);
  }

  /** Resumes stopped runs and completes all of them. */
  async #endRuns(): Promise<void> {
    await this.#run("resume", "update public.refund_runs set state = 'running' where state = 'stopped'");
    const goesOn = async () =>
      (await this.#run("advance", "select public.advance_refund_run() as goes_on")).rows[0].goes_on;
    while (await goesOn());
  }

  /** The provider repeats its events until they are received, and every dispute gets its verdict. */
  async #hearTheProvider(): Promise<void> {
    await this.#run(
      "sent back",
      "select public.mark_refund(substr(p, 4)::uuid, p, 'failed') from unnest($1::text[]) as p",
      this.#provider.returned().map(providersId),
    );
    for (const [n, intent] of this.#provider.intents("succeeded").entries()) {
      for (const dispute of intent.disputes.values()) {
        if (dispute.status === "needs_response") dispute.status = n % 2 === 0 ? "won" : "lost";
        for (const { text, values } of reportDispute(intent, dispute).statements)
          await this.#client.query(text, [...values]);
      }
    }
  }

  #run(name: string, text: string, ...values: unknown[]) {
    return this.#client.query({ name, text, values });
  }
}
