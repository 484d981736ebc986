// The payment provider is slow, fails, refuses, or loses its answers, while people buy, leave and are refunded: when it is
// over, no order is stuck, and no money is kept for nothing.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cartOf } from "../../shop/testing/cart.ts";
import type { Fault } from "../../sandbox/src/index.ts";
import { createRandom, type Random } from "../simulator/random.ts";
import { times } from "./counts.ts";
import { openFaultyShop, type FaultyShop } from "./shop.ts";
import { shop as buy, type Plan, type Promised } from "./shopper.ts";

let shop: FaultyShop;
beforeAll(async () => {
  shop = await openFaultyShop();
});
afterAll(() => shop?.close());

const BUYERS = 16 * times;
const CARDS: readonly (readonly string[])[] = [
  ["pm_card_visa"],
  ["pm_card_visa"],
  ["pm_card_chargeDeclined", "pm_card_mastercard"],
  ["pm_card_chargeDeclinedInsufficientFunds"],
];

function planOf(random: Random, index: number): Plan {
  const { general, vip, parking } = shop.catalog;
  const lines = random.chance(0.2)
    ? [[vip, 1] as const]
    : [[general, 1 + random.below(3)] as const, ...(random.chance(0.3) ? [[parking, 1] as const] : [])];
  const leaves = (["order", "payment", undefined, undefined] as const)[random.below(4)];
  return {
    key: `key-of-buyer-${index}`,
    cart: cartOf(...lines),
    cards: random.pick(CARDS)!,
    ...(leaves && { leaves }),
    ...(random.chance(0.3) && { before: cartOf([general, 1]) }),
  };
}

/** Buyers, webhooks and jobs at once, until every buyer has an answer or has given up. */
async function sell(random: Random, buyers: number): Promise<Promised[]> {
  const patience = { attempts: 4, pause: () => sleep(20 + random.below(60)) };
  let open = true;
  const jobs = (async () => {
    while (open) {
      // Some have been away for a quarter of an hour.
      await shop.world.sql(`update public.orders set hold_expires_at = now() where id in (
        select id from public.orders where status = 'pending' order by id limit 2 for update skip locked)`);
      for (const job of ["expire-holds", "drain-outbox", "reconcile-payments"])
        await shop.world.call(job, { as: "service" });
      await shop.world.sql("update public.outbox set next_attempt_at = now() where done_at is null");
      await shop.deliver(random, 0.4);
    }
  })();
  const promised = await Promise.all(
    Array.from({ length: buyers }, async (_, index) => {
      const result = await buy(await shop.door(), planOf(random, index), patience);
      if (result.outcome === "tickets" && random.chance(0.25)) await shop.refund(result.orderId!);
      return result;
    }),
  );
  open = false;
  await jobs;
  return promised;
}

/** The shop must keep its promises; with refunds, only an administrator undoes them. */
async function brokenPromises(promised: readonly Promised[]): Promise<Promised[]> {
  const rows = await shop.world.sql<{ id: string; status: string; cancel_reason: string | null }>(
    "select id, status, cancel_reason from public.orders",
  );
  const orders = new Map(rows.map((order) => [order.id, order]));
  return promised.filter(({ orderId, outcome }) => {
    if (orderId === undefined) return false;
    const order = orders.get(orderId);
    if (outcome !== "tickets") return order === undefined;
    return !(order?.status === "confirmed" || order?.cancel_reason === "refunded");
  });
}

describe("a payment provider that", () => {
  const some = (random: Random, share: number) => ({ matches: () => random.chance(share) });
  const troubles: readonly [string, (random: Random) => Fault[]][] = [
    ["is slow", (random) => [{ kind: "slow", milliseconds: 150, ...some(random, 0.6) }]],
    [
      "fails",
      (random) => [
        { kind: "refused", status: 500, ...some(random, 0.4) },
        { kind: "refused", status: 503, ...some(random, 0.3) },
      ],
    ],
    [
      "says that there are too many requests",
      (random) => [{ kind: "refused", status: 429, ...some(random, 0.3) }],
    ],
    [
      "does the work but whose answers get lost",
      (random) => [
        { kind: "answer_lost", ...some(random, 0.35) },
        { kind: "answer_lost", status: 502, ...some(random, 0.2) },
      ],
    ],
    [
      "cannot give money back for a while",
      () => [{ kind: "refused", status: 500, matches: (request) => request.url.endsWith("/v1/refunds") }],
    ],
    [
      "does all of that",
      (random) => [
        { kind: "slow", milliseconds: 80, ...some(random, 0.2) },
        { kind: "refused", status: 500, ...some(random, 0.2) },
        { kind: "refused", status: 429, ...some(random, 0.2) },
        { kind: "answer_lost", ...some(random, 0.2) },
        { kind: "answer_lost", status: 504, ...some(random, 0.1) },
      ],
    ],
  ];

  it.each(troubles)("%s leaves no order stuck", { timeout: 60_000 * times }, async (trouble, faults) => {
    const random = createRandom(trouble.length);
    for (const fault of faults(random)) shop.world.sandbox.injectFault(fault);
    const promised = await sell(random, BUYERS);
    shop.world.sandbox.clearFaults();
    // Browser and jobs must suffice without webhooks as well.
    if (random.chance(0.5)) await shop.loseWebhooks();
    expect(await shop.faults()).toEqual([]);
    expect(await brokenPromises(promised)).toEqual([]);
    const [sold] = await shop.world.sql("select count(*) from public.tickets");
    expect(Number(sold!.count)).toBeGreaterThan(0);
  });

  it("is gone entirely keeps nobody from getting what was paid before", async () => {
    const random = createRandom(1);
    const paid = await buy(
      await shop.door(),
      { ...planOf(random, 0), cards: ["pm_card_visa"], leaves: "payment" },
      { attempts: 1, pause: () => sleep(1) },
    );
    expect(paid.paid).toBe(true);
    shop.world.sandbox.injectFault({ kind: "refused", status: 503 });
    const stranger = await buy(
      await shop.door(),
      { ...planOf(random, 1), cards: ["pm_card_visa"] },
      { attempts: 1, pause: () => sleep(1) },
    );
    expect(stranger.gaveUp).toMatch(/^order: 502 .*payment_provider_unavailable/);
    // The event itself contains all that is needed.
    await shop.deliver(random, 0);
    const [order] = await shop.world.sql("select status from public.orders where id = $1", paid.orderId);
    expect(order!.status).toBe("confirmed");
    shop.world.sandbox.clearFaults();
    expect(await shop.faults()).toEqual([]);
  });
});
