// Orders that are bought and refunded, for the tests of refunds: `const { world, bought, refund } = await openRefunds()` at the top
// of a file.
import { beforeEach } from "vitest";
import { cartOf, type CatalogItem } from "../../../../shop/testing/cart.ts";
import { pay, place } from "../../../../shop/testing/carts.ts";
import { openShop } from "../../../../shop/testing/open-shop.ts";

export async function openRefunds() {
  const { world, shop } = await openShop();
  const admin = await world.newUser();
  await world.sql("insert into public.user_roles (user_id, role) values ($1, 'admin')", admin);
  beforeEach(() => {
    world.mails.length = 0;
  });

  const drain = () => world.call("drain-outbox", { as: "service" });
  /** The same drain may send mails of earlier orders, in any order. */
  const refundMailOf = (orderId: string) =>
    world.mails.find(({ subject }) => subject === `Your refund for order ${orderId.slice(0, 8)}`)!;
  const as = async (user: string, text: string, ...values: unknown[]) =>
    (
      await world.db.database.transaction(
        { claims: { role: "authenticated", sub: user }, headers: {} },
        (tx) => tx.query(text, values),
      )
    ).rows;
  const refund = (orderId: string, what: { tickets?: string[]; parking?: string[] } = {}) =>
    as(
      admin,
      "select public.refund_order($1, $2, $3) as answer",
      orderId,
      what.tickets ?? null,
      what.parking ?? null,
    ).then(([row]) => row!.answer as { refunded_cents: number });

  async function bought(...lines: readonly (readonly [CatalogItem, number])[]) {
    const user = await world.newUser();
    const placed = await place(world, user, cartOf(...lines));
    const { latest_charge } = await pay(world, placed);
    await world.call("process-payment", { as: user, body: { paymentIntentId: placed.paymentIntentId } });
    const rows = await world.sql<{ id: string; name: string }>(
      `select t.id, i.name from public.tickets t join public.order_items i on i.id = t.order_item_id
       where t.order_id = $1 order by i.position, t.position`,
      placed.orderId,
    );
    const parking = await world.sql<{ id: string; included: boolean }>(
      "select id, included from public.order_items where order_id = $1 and kind = 'parking' order by position",
      placed.orderId,
    );
    return {
      user,
      orderId: placed.orderId,
      tickets: rows.map(({ id }) => id),
      parking,
      givenBack: async () => (await world.stripe.charges.retrieve(latest_charge as string)).amount_refunded,
    };
  }

  return { world, shop, admin, drain, refundMailOf, as, refund, bought };
}
