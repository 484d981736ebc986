// Buyers who wait for a sold-out ticket type, and the job that offers them places.
import type { Work } from "./lanes.ts";
import type { Random } from "./random.ts";
import type { SimulatedShop } from "./shop.ts";
import { asUser, statement } from "./statement.ts";

export interface Waitlist {
  /** A buyer joins or leaves, or places are offered. */
  next(): Work;
}

export function createWaitlist(random: Random, shop: SimulatedShop): Waitlist {
  const join = (): Work => ({
    name: "join the waitlist",
    statements: [
      asUser(random.pick(shop.buyers)!),
      statement(
        "select public.join_waitlist($1, $2)",
        random.chance(0.7) ? shop.general.id : shop.vip.id,
        1 + random.below(4),
      ),
    ],
    refusal: /already|Tickets are available|festival is canceled/,
  });
  const leave = (): Work => ({
    name: "leave the waitlist",
    statements: [
      asUser(random.pick(shop.buyers)!),
      statement(
        "select public.leave_waitlist(id) from public.waitlist_entries where user_id = auth.uid() and state <> 'claimed'",
      ),
    ],
    refusal: /unpaid order/,
  });
  /** The job, sometimes after a place has expired. */
  const offer = (): Work => ({
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

  return {
    next() {
      const move = random.below(10);
      return move < 4 ? join() : move < 9 ? offer() : leave();
    },
  };
}
