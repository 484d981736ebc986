// Tickets that change hands: offered by their holders, accepted with an account or without, recalled, corrected, at any moment and
// twice. None of it moves stock or money.
import type { Work } from "./lanes.ts";
import type { Random } from "./random.ts";
import type { SimulatedShop } from "./shop.ts";
import { statement } from "./statement.ts";

/** Runs as the holder of the order's first ticket that is not void; as nobody when none has an account. */
const asHolder = (orderId: string) =>
  statement(
    `select set_config('request.jwt.claims', json_build_object('role', 'authenticated', 'sub', coalesce((select user_id
        from public.tickets where order_id = $1 and user_id is not null and voided_at is null
        order by order_item_id, position limit 1), gen_random_uuid()))::text, true)`,
    orderId,
  );

/** `errands` collects the follow-ups of an offer. */
export function createHandingOn(random: Random, shop: SimulatedShop, errands: (() => Work)[]) {
  let people = 0;

  function offer(orderId: string): Work {
    return {
      name: `offer tickets of ${orderId}`,
      statements: [
        asHolder(orderId),
        statement(
          `select public.offer_transfer(array(select id from public.tickets where order_id = $1 and user_id = auth.uid()
              and voided_at is null order by order_item_id, position limit $2), 'Guest', $3) as offer`,
          orderId,
          1 + random.below(2),
          `receiver${people++}@people.test`,
        ),
      ],
      refusal:
        /Choose at least one|among yours|refunded|Cancel the offer|30 times|3 times a day|scanned at the gate|festival is canceled/,
      done(rows: { offer: string }[]) {
        const id = rows[0]!.offer;
        errands.push(() => arm(id));
      },
    };
  }

  const arm = (id: string): Work => ({
    name: `mail offer ${id}`,
    statements: [statement("select public.arm_transfer($1, $2)", id, `token ${id}`)],
    done() {
      const often = random.below(3);
      for (let turn = 0; turn < often; turn++) errands.push(() => accept(id));
      if (random.chance(0.4)) errands.push(() => recall(id));
    },
  });
  const accept = (id: string): Work => ({
    name: `accept offer ${id}`,
    statements: [
      statement(
        "select public.accept_transfer($1, $2)",
        `token ${id}`,
        random.chance(0.3) ? null : random.pick(shop.buyers),
      ),
    ],
  });
  const recall = (id: string): Work => ({
    name: `recall offer ${id}`,
    statements: [
      statement(
        `select set_config('request.jwt.claims', json_build_object('role', 'authenticated', 'sub', from_user_id)::text, true)
          from public.ticket_transfers where offer_id = $1 limit 1`,
        id,
      ),
      statement("select public.recall_transfer($1)", id),
    ],
    refusal: /already been accepted|already canceled|has ended/,
  });

  function correct(orderId: string): Work {
    const name = `Guest ${people++}`;
    return {
      name: `correct a ticket of ${orderId}`,
      statements: [
        asHolder(orderId),
        statement(
          `select public.correct_attendee(id, $2, 'guest@people.test') from public.tickets
            where order_id = $1 and user_id = auth.uid() and voided_at is null order by order_item_id, position limit 1`,
          orderId,
          name,
        ),
      ],
      refusal: /among yours|refunded|Cancel the offer|three times|scanned at the gate/,
    };
  }

  return { offer, correct };
}
