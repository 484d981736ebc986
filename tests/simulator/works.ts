// Everything that may happen to the shop's tables, each as the transaction that the server makes of it: buyers, webhooks,
// jobs, administrators; the door's are in door.ts and what organisers do to many orders in organisers.ts. What a process would do next once it has its answer waits among the errands.
import type { Answer, Wishes } from "./carts.ts";
import type { Door } from "./door.ts";
import { createHandingOn } from "./handing-on.ts";
import type { Work } from "./lanes.ts";
import type { Organisers } from "./organisers.ts";
import { type Intent, type Provider, providersId } from "./provider.ts";
import type { Random } from "./random.ts";
import type { SimulatedShop } from "./shop.ts";

export interface Works {
  next(): Work;
  /** Orders that a buyer was promised: they must be there at the end. */
  readonly acknowledged: ReadonlySet<string>;
}

interface OutboxEntry {
  readonly id: string;
  readonly kind: string;
  readonly payload: { order_id?: string; refund_id?: string; cents?: number; total_cents?: number };
}

const statement = (text: string, ...values: unknown[]) => ({ text, values });

export function createWorks(
  random: Random,
  provider: Provider,
  shop: SimulatedShop,
  wishes: Wishes,
  doorOf: (acknowledged: Set<string>) => Door,
  organisersOf: (errands: (() => Work)[]) => Organisers,
): Works {
  const acknowledged = new Set<string>();
  const door = doorOf(acknowledged);
  const errands: (() => Work)[] = [];
  const organisers = organisersOf(errands);
  const asUser = (id: string) =>
    statement(
      "select set_config('request.jwt.claims', $1, true)",
      JSON.stringify({ sub: id, role: "authenticated" }),
    );

  const handingOn = createHandingOn(random, shop, errands);

  let focus: Intent | undefined;
  /** Half of the time the same one for a while, so that many hands meet at one order. */
  function somebody(of: readonly Intent[]): Intent | undefined {
    if (!focus || random.chance(0.08)) focus = random.pick(of);
    return focus && of.includes(focus) && random.chance(0.5) ? focus : random.pick(of);
  }

  function reserve(): Work {
    const batch = wishes.batch();
    return {
      name: `reserve ${batch.map((cart) => cart.idempotency_key).join(" ")}`,
      statements: [statement("select public.reserve_orders($1) as answers", JSON.stringify(batch))],
      done(rows: { answers: Answer[] }[]) {
        for (const { ok, order_id, total_cents } of rows[0]!.answers) {
          if (!ok) continue;
          acknowledged.add(order_id);
          if (total_cents === 0) {
            if (random.chance(0.7)) errands.push(() => confirmFree(order_id));
            continue;
          }
          const intent = provider.intentFor(order_id, total_cents);
          if (random.chance(0.5)) provider.pay(intent);
        }
      },
    };
  }

  const confirm = ({ orderId, id, cents }: Intent, then?: () => void): Work => ({
    name: `confirm ${orderId}`,
    statements: [statement("select public.confirm_order($1, $2, $3)", orderId, id, cents)],
    ...(then && { done: then }),
  });
  /** Counts for orders placed from then on. */
  const turnFee = (): Work => ({
    name: "change whether the fee is refunded",
    statements: [statement("update public.shop_settings set fee_is_refunded = not fee_is_refunded")],
  });
  const joinWaitlist = (): Work => ({
    name: "join the waitlist",
    statements: [
      asUser(random.pick(shop.buyers)!),
      statement(
        "select public.join_waitlist($1, $2)",
        random.chance(0.7) ? shop.general.id : shop.vip.id,
        1 + random.below(4),
      ),
    ],
    refusal: /already|tickets left|festival is cancelled/,
  });
  const leaveWaitlist = (): Work => ({
    name: "leave the waitlist",
    statements: [
      asUser(random.pick(shop.buyers)!),
      statement(
        "select public.leave_waitlist(id) from public.waitlist_entries where user_id = auth.uid() and state <> 'claimed'",
      ),
    ],
    refusal: /not paid yet/,
  });
  /** The job, now and then after the time of a place has run out. */
  const moveTheLine = (): Work => ({
    name: "offer places",
    statements: [
      statement(
        `update public.waitlist_entries set offer_expires_at = now() - interval '1 second'
           where id = (select id from public.waitlist_entries where state in ('offered', 'claimed') and $1 order by id limit 1)`,
        random.chance(0.4),
      ),
      statement("select public.offer_places()"),
    ],
  });
  /** The buyer's word, as often as they press the button. */
  const confirmFree = (orderId: string): Work => ({
    name: `confirm free ${orderId}`,
    statements: [
      statement("select public.confirm_free_order(id, user_id) from public.orders where id = $1", orderId),
    ],
  });
  const decline = ({ orderId, id }: Intent): Work => ({
    name: `decline ${orderId}`,
    statements: [statement("select public.fail_payment($1, $2, 'declined')", orderId, id)],
  });
  const release = ({ orderId }: Intent): Work => ({
    name: `release ${orderId}`,
    statements: [
      statement(
        "select set_config('request.jwt.claims', json_build_object('sub', user_id)::text, true) from public.orders where id = $1",
        orderId,
      ),
      statement("select public.release_hold($1)", orderId),
    ],
  });
  const cancel = ({ orderId }: Intent): Work => ({
    name: `cancel ${orderId}`,
    statements: [asUser(shop.admin), statement("select public.cancel_order($1)", orderId)],
    refusal: /Only a pending order/,
  });
  const refund = ({ orderId }: Intent): Work => ({
    name: `refund ${orderId}`,
    statements: [asUser(shop.admin), statement("select public.refund_order($1)", orderId)],
    refusal: /Only a paid order/,
  });
  const refundSome = ({ orderId }: Intent): Work => ({
    name: `refund tickets and parking of ${orderId}`,
    statements: [
      asUser(shop.admin),
      statement(
        `select public.refund_order($1,
          array(select id from public.tickets where order_id = $1 and voided_at is null order by order_item_id, position limit $2),
          array(select id from public.order_items where order_id = $1 and parking_pass_id is not null and not included
            and refunded = 0 limit $3))`,
        orderId,
        random.below(3),
        random.below(2),
      ),
    ],
    refusal: /Only a paid order|Choose tickets|is left to refund/,
  });

  const refundAmount = ({ orderId }: Intent): Work => ({
    name: `refund an amount of ${orderId}`,
    statements: [
      asUser(shop.admin),
      statement(
        "select public.refund_amount(gen_random_uuid(), $1, $2, 'goodwill')",
        orderId,
        1 + random.below(5000),
      ),
    ],
    refusal: /Only a paid order|of this payment is left to refund/,
  });
  const retryRefunds = ({ orderId }: Intent): Work => ({
    name: `retry the refunds of ${orderId}`,
    statements: [
      asUser(shop.admin),
      statement(
        "select public.retry_refund(id) from public.refunds where order_id = $1 and status = 'failed'",
        orderId,
      ),
    ],
    refusal: /already been returned|is left to refund|still in progress/,
  });

  /** As the job does it: the provider is asked before an order is cancelled. */
  const expire = (orderId: string, cents: number): Work => {
    if (cents === 0) return expireUnpaid(orderId);
    const intent = provider.intentFor(orderId, cents);
    return provider.close(intent) === "succeeded" ? confirm(intent) : expireUnpaid(orderId);
  };
  const expireUnpaid = (orderId: string): Work => ({
    name: `expire ${orderId}`,
    statements: [statement("select public.expire_holds(array[$1::uuid])", orderId)],
  });
  const lookForDueHolds = (): Work => ({
    name: "look for due holds",
    statements: [statement("select order_id, total_cents from public.due_holds(200) order by 1")],
    done(rows: { order_id: string; total_cents: number }[]) {
      for (const { order_id, total_cents } of rows)
        if (random.chance(0.3)) errands.push(() => expire(order_id, total_cents));
    },
  });

  /** One that the provider refused was never made there, and has no name of the provider's. */
  const markRefund = (id: string, status: string, then?: () => void): Work => ({
    name: `mark refund ${status}`,
    statements: [
      statement(
        "select public.mark_refund($1, $2, $3)",
        id,
        status === "refused" ? null : providersId(id),
        status === "refused" ? "failed" : status,
      ),
    ],
    ...(then && { done: then }),
  });
  const claimOutbox = (): Work => ({
    name: "claim outbox",
    statements: [statement("select id, kind, payload from public.claim_outbox(100) order by 1")],
    done(rows: OutboxEntry[]) {
      for (const entry of rows) errands.push(() => perform(entry));
    },
  });
  const complete = (id: string): Work => ({
    name: "complete outbox",
    statements: [statement("select public.complete_outbox($1)", id)],
  });
  const failEntry = (id: string): Work => ({
    name: "fail outbox",
    statements: [statement("select public.fail_outbox($1, 'the provider did not answer')", id)],
  });

  function perform({ id, kind, payload }: OutboxEntry): Work {
    const then = () => errands.push(() => complete(id));
    if (kind === "cancel_intent") {
      const intent = provider.intentFor(payload.order_id!, payload.total_cents!);
      return provider.close(intent) === "succeeded" ? confirm(intent, then) : complete(id);
    }
    if (kind !== "refund") return complete(id);
    if (random.chance(0.15)) return failEntry(id);
    const refundId = payload.refund_id!;
    const intent = provider.intentFor(payload.order_id!, payload.cents!);
    if (random.chance(0.15)) provider.refuse(intent, refundId);
    const outcome = provider.refund(intent, refundId, payload.cents!);
    if (outcome !== "succeeded") return markRefund(refundId, outcome, then);
    if (random.chance(0.05))
      errands.push(() => {
        provider.sendBack(intent, refundId);
        return markRefund(refundId, "failed");
      });
    // The provider sends its own notice as well, now or later, in any order.
    for (const status of ["pending", "succeeded"])
      if (random.chance(0.4)) errands.push(() => markRefund(refundId, status));
    return random.chance(0.1) ? failEntry(id) : markRefund(refundId, "succeeded", then);
  }

  return {
    acknowledged,
    next() {
      const [errand] =
        errands.length > 0 && random.chance(0.45) ? errands.splice(random.below(errands.length), 1) : [];
      if (errand) return errand();
      if (random.chance(0.15)) return door.next();
      if (random.chance(0.01)) return turnFee();
      if (random.chance(0.2)) return organisers.next(somebody(provider.intents("succeeded")));
      if (random.chance(0.12)) {
        const move = random.below(10);
        return move < 4 ? joinWaitlist() : move < 9 ? moveTheLine() : leaveWaitlist();
      }
      const anybody = somebody(provider.intents());
      const paid = somebody(provider.intents("succeeded"));
      if (paid && random.chance(0.1))
        return random.chance(0.7) ? handingOn.offer(paid.orderId) : handingOn.correct(paid.orderId);
      const dice = random.below(100);
      if (dice < 30 || !anybody) return reserve();
      if (dice < 54) return paid ? confirm(paid) : reserve();
      if (dice < 66) return decline(anybody);
      if (dice < 71) return lookForDueHolds();
      if (dice < 77) return expire(anybody.orderId, anybody.cents);
      if (dice < 83) return release(anybody);
      if (dice < 86) return cancel(anybody);
      if (dice < 89) return refund(paid ?? anybody);
      if (dice < 92) return refundSome(paid ?? anybody);
      if (dice < 95) return refundAmount(paid ?? anybody);
      if (dice < 97) return retryRefunds(paid ?? anybody);
      return claimOutbox();
    },
  };
}
