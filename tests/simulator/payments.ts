// Reports about payments: by the provider, by the buyer, and by the job that ends holds.
import type { Work } from "./lanes.ts";
import type { Intent, Provider } from "./provider.ts";
import type { Random } from "./random.ts";
import { asBuyerOf, statement } from "./statement.ts";

export const confirm = ({ orderId, id, cents }: Intent, then?: () => void): Work => ({
  name: `confirm ${orderId}`,
  statements: [statement("select public.confirm_order($1, $2, $3)", orderId, id, cents)],
  ...(then && { done: then }),
});
/** Several payments in one batch. Those it leaves are confirmed alone. */
export const confirmTogether = (intents: readonly Intent[], errands: (() => Work)[]): Work => ({
  name: `confirm ${intents.map(({ orderId }) => orderId).join(" ")}`,
  statements: [
    statement(
      "select public.confirm_orders($1) as answers",
      JSON.stringify(
        intents.map(({ orderId, id, cents }) => ({
          order_id: orderId,
          payment_intent_id: id,
          amount_cents: cents,
          currency: "usd",
        })),
      ),
    ),
  ],
  done(rows: { answers: (object | null)[] }[]) {
    intents.forEach((intent, index) => {
      if (rows[0]!.answers[index] === null) errands.push(() => confirm(intent));
    });
  },
});
/** The buyer's confirmation, as often as they press the button. */
export const confirmFree = (orderId: string): Work => ({
  name: `confirm free ${orderId}`,
  statements: [
    statement("select public.confirm_free_order(id, user_id) from public.orders where id = $1", orderId),
  ],
});
export const decline = ({ orderId, id }: Intent): Work => ({
  name: `decline ${orderId}`,
  statements: [
    statement("select public.fail_payment($1, $2, 'declined', gen_random_uuid()::text, now())", orderId, id),
  ],
});
export const release = ({ orderId }: Intent): Work => ({
  name: `release ${orderId}`,
  statements: [asBuyerOf(orderId), statement("select public.release_hold($1)", orderId)],
});

const expireUnpaid = (orderId: string): Work => ({
  name: `expire ${orderId}`,
  statements: [statement("select public.expire_holds(array[$1::uuid])", orderId)],
});

/** As the job does it: the provider is asked before an order is cancelled. */
export function expire(provider: Provider, orderId: string, cents: number): Work {
  if (cents === 0) return expireUnpaid(orderId);
  const intent = provider.intentFor(orderId, cents);
  return provider.close(intent) === "succeeded" ? confirm(intent) : expireUnpaid(orderId);
}

/** `errands` is where the holds to end wait. */
export const lookForDueHolds = (random: Random, provider: Provider, errands: (() => Work)[]): Work => ({
  name: "look for due holds",
  statements: [statement("select order_id, total_cents from public.due_holds(200) order by 1")],
  done(rows: { order_id: string; total_cents: number }[]) {
    for (const { order_id, total_cents } of rows)
      if (random.chance(0.3)) errands.push(() => expire(provider, order_id, total_cents));
  },
});
