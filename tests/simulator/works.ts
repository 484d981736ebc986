// Everything that may happen to the shop's tables, each as the transaction that the server makes of it: buyers, webhooks, jobs,
// administrators, the door, organizers. What a process would do next, once it has its answer, waits among the errands.
import { createAdministrators } from "./administrators.ts";
import type { Answer, Carts } from "./carts.ts";
import type { Door } from "./door.ts";
import { createHandingOn } from "./handing-on.ts";
import type { Work } from "./lanes.ts";
import type { Organizers } from "./organizers.ts";
import { createOutboxWorker } from "./outbox-worker.ts";
import {
  confirm,
  confirmFree,
  confirmTogether,
  decline,
  expire,
  lookForDueHolds,
  release,
} from "./payments.ts";
import type { Intent, Provider } from "./provider.ts";
import type { Random } from "./random.ts";
import type { SimulatedShop } from "./shop.ts";
import { statement } from "./statement.ts";
import { createWaitlist } from "./waitlist.ts";

export interface Works {
  next(): Work;
  /** Orders that a buyer was promised: they must exist in the end. */
  readonly acknowledged: ReadonlySet<string>;
}

export function createWorks(
  random: Random,
  provider: Provider,
  shop: SimulatedShop,
  carts: Carts,
  doorOf: (acknowledged: Set<string>) => Door,
  organizersOf: (errands: (() => Work)[]) => Organizers,
): Works {
  const acknowledged = new Set<string>();
  const errands: (() => Work)[] = [];
  const door = doorOf(acknowledged);
  const organizers = organizersOf(errands);
  const administrators = createAdministrators(random, shop);
  const waitlist = createWaitlist(random, shop);
  const outbox = createOutboxWorker(random, provider, errands);
  const handingOn = createHandingOn(random, shop, errands);

  const somebody = createFocus(random);
  const reserve = () => reservation(random, provider, carts, acknowledged, errands);

  return {
    acknowledged,
    next() {
      const [errand] =
        errands.length > 0 && random.chance(0.45) ? errands.splice(random.below(errands.length), 1) : [];
      if (errand) return errand();
      if (random.chance(0.15)) return door.next();
      if (random.chance(0.01)) return administrators.turnFee();
      if (random.chance(0.2)) return organizers.next(somebody(provider.intents("succeeded")));
      if (random.chance(0.12)) return waitlist.next();
      const anybody = somebody(provider.intents());
      const paid = somebody(provider.intents("succeeded"));
      if (paid && random.chance(0.1))
        return random.chance(0.7) ? handingOn.offer(paid.orderId) : handingOn.correct(paid.orderId);
      const dice = random.below(100);
      if (dice < 30 || !anybody) return reserve();
      if (dice < 54) {
        if (!paid) return reserve();
        if (random.chance(0.4)) return confirm(paid);
        const others = Array.from({ length: random.below(6) }, () =>
          somebody(provider.intents("succeeded"))!,
        );
        return confirmTogether([paid, ...others], errands);
      }
      if (dice < 66) return decline(anybody);
      if (dice < 71) return lookForDueHolds(random, provider, errands);
      if (dice < 77) return expire(provider, anybody.orderId, anybody.cents);
      if (dice < 83) return release(anybody);
      if (dice < 86) return administrators.cancel(anybody);
      if (dice < 89) return administrators.refund(paid ?? anybody);
      if (dice < 92) return administrators.refundSome(paid ?? anybody);
      if (dice < 95) return administrators.refundAmount(paid ?? anybody);
      if (dice < 97) return administrators.retryRefunds(paid ?? anybody);
      return outbox.claim();
    },
  };
}

/** Picks a payment: half of the time the same one for a while, so that many lanes meet at one order. */
function createFocus(random: Random): (of: readonly Intent[]) => Intent | undefined {
  let focus: Intent | undefined;
  return (of) => {
    if (!focus || random.chance(0.08)) focus = random.pick(of);
    return focus && of.includes(focus) && random.chance(0.5) ? focus : random.pick(of);
  };
}

function reservation(
  random: Random,
  provider: Provider,
  carts: Carts,
  acknowledged: Set<string>,
  errands: (() => Work)[],
): Work {
  const batch = carts.batch();
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
