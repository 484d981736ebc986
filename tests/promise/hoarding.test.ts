// Programs that hold tickets and never pay, from many accounts at one address: at least 95 % of the stock stays
// available at every moment, and people elsewhere buy as if nothing happened.
import { afterAll, beforeAll, expect, it } from "vitest";
import { cartOf } from "../../shop/testing/cart.ts";
import { readCatalog } from "../../shop/testing/carts.ts";
import { openWorld, type World } from "../../shop/testing/world.ts";
import { times } from "./counts.ts";

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world?.close());

const BOTS = 150 * times;
const BOTS_ADDRESS = "203.0.113.66";

/** Few at a time, so that no waiting room opens: it would keep the bots out as well. */
const AT_ONCE = 30;

/** The share of all tickets that the bots currently hold. */
const hoarded = async () => {
  const [row] = await world.sql<{ share: number }>(
    `select (select coalesce(sum(ticket_count), 0) from public.orders o join public.order_addresses a on a.order_id = o.id
         where a.address = $1 and o.status = 'pending')::float
       / (select sum(total_inventory) from public.ticket_types) as share`,
    BOTS_ADDRESS,
  );
  return row!.share;
};

it(
  "leave at least 95 % of all tickets to others, however they hold and abandon",
  { timeout: 60_000 * times },
  async () => {
    const { general } = await readCatalog(world);
    const order = (as: string, ip: string, quantity: number) =>
      world.call("create-payment-intent", { as, ip, body: cartOf([general, quantity]) });
    const bots = await Promise.all(Array.from({ length: BOTS }, () => world.newUser()));
    let most = 0;

    for (let round = 0; round < 4; round++) {
      const answers = [];
      for (let from = 0; from < BOTS; from += AT_ONCE) {
        const some = bots.slice(from, from + AT_ONCE);
        answers.push(...(await Promise.all(some.map((bot) => order(bot, BOTS_ADDRESS, 20)))));
      }
      for (const { status } of answers) expect([200, 429]).toContain(status);
      most = Math.max(most, await hoarded());

      const person = await world.newUser();
      expect((await order(person, `198.51.100.${round}`, 4)).status).toBe(200);

      // Half of the holds are abandoned for new ones and the others expire, and a minute passes.
      await world.sql(
        `select public.cancel_pending_orders(array(select id
      from public.orders o join public.order_addresses a on a.order_id = o.id
      where a.address = $1 and o.status = 'pending' order by id limit ${round % 2 ? 4 : 1000}), 'abandoned')`,
        BOTS_ADDRESS,
      );
      await world.sql("update public.orders set created_at = created_at - interval '61 seconds'");
      await world.sql("update public.order_addresses set placed_at = placed_at - interval '61 seconds'");
    }
    expect(most).toBeGreaterThan(0.02);
    expect(most).toBeLessThanOrEqual(0.05);
  },
);
