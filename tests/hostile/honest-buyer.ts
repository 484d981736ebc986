// Honest buyers, signed in beforehand: the purchases of one after the other, from the order to the tickets, through the waiting room
// when it is open.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { cartOf, type CatalogItem } from "../../shop/testing/cart.ts";
import { createApi, type Person } from "../crash/api.ts";
import type { Answer } from "../promise/shopper.ts";

/** Measures a step that a person waits for. */
type Timed = (step: () => Promise<Answer>) => Promise<Answer>;

/** Enough for a purchase a second, since each may pay for three orders a minute, and have 20 tickets. */
const BUYERS = 20;

/** Returns what makes the next purchase. It stops at the first step that is refused. */
export async function signInBuyers(
  status: Readonly<Record<string, string>>,
  item: CatalogItem,
): Promise<(timed: Timed) => Promise<void>> {
  const api = createApi(() => status, { reached() {} });
  const buyers = await Promise.all(
    Array.from({ length: BUYERS }, async () => {
      const who = { email: `${randomUUID()}@buyer.test`, password: "purple slab cruise" };
      await api.addAccount(who);
      const buyer = api.person(who);
      await buyer.call("verify-payment", {}); // signs in
      return buyer;
    }),
  );
  let turn = 0;
  return (timed) => purchase(buyers[turn++ % BUYERS]!, item, timed);
}

async function purchase(buyer: Person, item: CatalogItem, timed: Timed): Promise<void> {
  const place = await placeInLine(buyer, timed);
  const cart = { ...cartOf([item, 1]), ...(place && { place }) };
  const order = await timed(() => buyer.call("create-payment-intent", cart, randomUUID()));
  if (order.status !== 200) return;
  const { paymentIntentId, clientSecret } = order.body!;
  const form = { client_secret: clientSecret, payment_method: "pm_card_visa" };
  const paid = await timed(() => buyer.provider(`payment_intents/${paymentIntentId}/confirm`, form));
  if (paid.status === 200) await timed(() => buyer.call("process-payment", { paymentIntentId }));
}

/** Waiting for one's turn is no fault; waiting for the answer would be. */
async function placeInLine(buyer: Person, timed: Timed): Promise<string | undefined> {
  let shown = {};
  for (;;) {
    const { body } = await timed(() => buyer.call("waiting-room", shown));
    if (!body?.open) return undefined;
    if (body.admitted) return body.place as string;
    shown = { place: body.place as string };
    await sleep(500);
  }
}
