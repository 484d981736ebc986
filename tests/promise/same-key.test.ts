// One wish, sent a hundred times at once, is one order and one payment.
import { afterAll, beforeAll, expect, it } from "vitest";
import { cartOf } from "../../server/testing/shop/cart.ts";
import { openShop, type Shop } from "./shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop?.close());

const hundred = <T>(ask: () => Promise<T>) => Promise.all(Array.from({ length: 100 }, ask));

it("the same key a hundred times at once, from the order to the tickets", { timeout: 60_000 }, async () => {
  const door = await shop.door();
  const cart = cartOf([shop.catalogue.general, 2]);
  const placed = await hundred(() => door.call("create-payment-intent", cart, "one-and-only-key"));
  expect(new Set(placed.map(({ status }) => status))).toEqual(new Set([200]));
  const intents = new Set(placed.map(({ body }) => body.paymentIntentId as string));
  expect(intents.size).toBe(1);

  const [intent] = [...intents];
  const { clientSecret: client_secret } = placed[0]!.body;
  const pay = () =>
    door.provider(`payment_intents/${intent}/confirm`, { client_secret, payment_method: "pm_card_visa" });
  const paid = await hundred(pay);
  expect(paid.filter(({ status }) => status === 200)).toHaveLength(1);
  await hundred(() => door.call("process-payment", { paymentIntentId: intent }));
  await shop.deliver({ below: () => 0, chance: () => false, pick: () => undefined }, 0);

  const [row] = await shop.world.sql(
    `select (select count(*)::int from public.orders where user_id = $1) as orders,
       (select count(*)::int from payments_sandbox.objects where kind = 'payment_intent') as intents,
       (select count(*)::int from payments_sandbox.objects where kind = 'charge') as charges,
       (select count(*)::int from public.payments) as payments,
       (select count(*)::int from public.tickets where user_id = $1) as tickets,
       (select held from public.ticket_types where id = $2) as held,
       (select sold from public.ticket_types where id = $2) as sold`,
    door.user,
    shop.catalogue.general.id,
  );
  expect(row).toEqual({ orders: 1, intents: 1, charges: 1, payments: 1, tickets: 2, held: 0, sold: 2 });
  expect(await shop.faults()).toEqual([]);
});
