// The file of orders adds up to the payment provider's own books, to the cent: what was paid, what was refunded, and for
// which payment.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cartOf } from "../../shop/testing/cart.ts";
import { openFaultyShop, type FaultyShop } from "./shop.ts";
import { shop as buy } from "./shopper.ts";

let shop: FaultyShop;
beforeAll(async () => {
  shop = await openFaultyShop();
});
afterAll(() => shop?.close());

async function placed(quantity: number, cards: readonly string[], leaves?: "order"): Promise<string> {
  const plan = {
    key: "a-buyers-key",
    cart: cartOf([shop.catalog.general, quantity]),
    cards,
    ...(leaves && { leaves }),
  };
  const { orderId } = await buy(await shop.door(), plan, { attempts: 3, pause: () => sleep(1) });
  return orderId!;
}

it("lists for each order what the provider charged and refunded", async () => {
  const card = ["pm_card_visa"];
  await placed(1, card);
  const whole = await placed(2, card);
  const part = await placed(3, card);
  await placed(1, card, "order");
  await placed(1, ["pm_card_visa_chargeDeclined"]);
  expect(await shop.refund(whole)).toBeUndefined();
  const [ticket] = await shop.world.sql<{ id: string }>(
    "select id from public.tickets where order_id = $1 limit 1",
    part,
  );
  expect(await shop.refund(part, [ticket!.id])).toBeUndefined();
  expect(await shop.faults()).toEqual([]);

  const books = await shop.world.sql<{ id: string; paid: number; refunded: number }>(`
    select i.body #>> '{metadata,order_id}' as id, (i.body ->> 'amount_received')::int as paid, coalesce((
        select sum((r.body ->> 'amount')::int)::int from payments_sandbox.objects r
        where r.kind = 'refund' and r.body ->> 'payment_intent' = i.id), 0) as refunded
    from payments_sandbox.objects i where i.kind = 'payment_intent' and (i.body ->> 'amount_received')::int > 0 order by 1`);
  const exported = (await shop.exportedOrders())
    .filter(({ paid }) => paid > 0)
    .map(({ id, paid, refunded }) => ({ id, paid: paid * 100, refunded: refunded * 100 }))
    .toSorted((one, two) => (one.id < two.id ? -1 : 1));
  expect(exported).toEqual(books);
  expect(books.map(({ paid, refunded }) => [paid, refunded])).toEqual(
    expect.arrayContaining([
      [4500, 0],
      [9000, 9000],
      [13_500, 4500],
    ]),
  );
});

it("lists each refund of the provider once, with its payment and amount, as the file of refunds reads them", async () => {
  const given = await shop.world.sql(`
    select id as provider_refund_id, body ->> 'payment_intent' as payment_intent_id, (body ->> 'amount')::int as cents
    from payments_sandbox.objects where kind = 'refund' order by 1`);
  const listed = await shop.world.sql(`
    select r.provider_refund_id, r.payment_intent_id, (r.amount * 100)::int as cents
    from public.refunds r join public.orders o on o.id = r.order_id and o.buyer_email <> ''
    where r.status = 'succeeded' order by 1`);
  expect(listed).toEqual(given);
  expect(listed.map(({ cents }) => Number(cents)).toSorted((a, b) => a - b)).toEqual([4500, 9000]);
});
