// What happens alongside the online sale: sellers at the door with a till each, administrators who void their sales, and comps issued
// and revoked, on the same stock. A seller does not receive every answer, and repeats such a sale.
import type { Work } from "./lanes.ts";
import type { Random } from "./random.ts";
import type { SimulatedShop } from "./shop.ts";
import { asUser, statement } from "./statement.ts";

export interface Door {
  /** A sale, a void, a closed till, comps issued or revoked. */
  next(): Work;
}

const gone = /left of|sold out|festival is canceled/;
/** Closed by an administrator between the two statements, or while the sale waited for stock. */
const goneOrClosed = /left of|sold out|till is closed|festival is canceled/;

/** `prefix` keeps the keys of runs apart; `acknowledged` collects the orders whose answers arrived. */
export function createDoor(
  random: Random,
  shop: SimulatedShop,
  prefix: string,
  acknowledged: Set<string>,
): Door {
  const sales: Work[] = [];
  let keys = 0;

  function sell(): Work {
    const again = random.chance(0.2) ? random.pick(sales) : undefined;
    if (again) return again;
    const vip = random.chance(0.2) ? 1 : 0;
    const general = vip === 0 ? random.below(3) : 0;
    const parking = vip === 0 && (general === 0 || random.chance(0.2)) ? 1 : 0;
    const items = [
      { type: "ticket", id: shop.general.id, quantity: general },
      { type: "ticket", id: shop.vip.id, quantity: vip },
      { type: "parking", id: shop.parking.id, quantity: parking },
    ].filter(({ quantity }) => quantity > 0);
    const cents = general * shop.general.cents + vip * shop.vip.cents + parking * shop.parking.cents;
    const key = `${prefix}-door-${keys++}`;
    const work: Work = {
      name: `sell ${key}`,
      statements: [
        asUser(random.pick(shop.sellers)!),
        statement("select public.open_till(50)"),
        statement(
          "select public.sell_at_door(md5($1)::uuid, $2, $3, $4) ->> 'order_id' as id",
          key,
          JSON.stringify(items),
          random.chance(0.5) ? "cash" : "card",
          cents,
        ),
      ],
      refusal: goneOrClosed,
      done: (rows: { id: string }[]) => acknowledged.add(rows[0]!.id),
    };
    sales.push(work);
    return work;
  }

  const any = "(select id from public.orders where channel = $1 order by md5(id::text || $2) limit 1)";

  const undo = (channel: "door" | "comp"): Work => ({
    name: `take back of the ${channel}`,
    statements: [
      asUser(shop.admin),
      statement("select public.open_till(0)"),
      statement(
        channel === "door"
          ? `select public.void_door_sale(${any}, 'mistake')`
          : `select public.revoke_comp(${any}, 'not coming')`,
        channel,
        String(random.below(8)),
      ),
    ],
    refusal: /already|couldn't find|does not exist|till is closed|cash, and the sale was/,
  });

  const closeTill = (): Work => ({
    name: "close a till",
    statements: [
      asUser(shop.admin),
      statement(
        "select public.close_till((select id from public.till_shifts where closed_at is null order by seller_id limit 1), 50)",
      ),
    ],
    refusal: /couldn't find|not yours|already closed/,
  });

  const giveComps = (): Work => ({
    name: "give comps",
    statements: [
      asUser(shop.admin),
      statement(
        "select public.issue_comps(md5($1)::uuid, 'Press', $2, $3)",
        `${prefix}-comps-${keys++}`,
        random.chance(0.3) ? shop.vip.id : shop.general.id,
        JSON.stringify(
          Array.from({ length: 1 + random.below(3) }, () => ({ name: "Guest", email: "guest@people.test" })),
        ),
      ),
    ],
    refusal: gone,
  });

  return {
    next() {
      const dice = random.below(100);
      if (dice < 55) return sell();
      if (dice < 70) return undo("door");
      if (dice < 76) return closeTill();
      if (dice < 90) return giveComps();
      return undo("comp");
    },
  };
}
