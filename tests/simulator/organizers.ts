// What organizers do to many orders at once or to the whole festival, and what banks and gates do meanwhile: refund runs, stopped and
// resumed, a festival that is moved or cancelled, disputes, units added to the stock, places offered out of turn, people let in.
import type { Work } from "./lanes.ts";
import type { Dispute, Intent, Provider } from "./provider.ts";
import type { Random } from "./random.ts";
import type { SimulatedShop } from "./shop.ts";
import { asBuyerOf, asUser, statement, type Statement } from "./statement.ts";

export interface Organizers {
  /** About this payment, if the work concerns one. */
  next(paid: Intent | undefined): Work;
}

/** `prefix` keeps the keys of runs apart; `errands` collects the follow-ups. */
export function createOrganizers(
  random: Random,
  provider: Provider,
  shop: SimulatedShop,
  prefix: string,
  errands: (() => Work)[],
): Organizers {
  const asAdmin = asUser(shop.admin);
  const runs = createRefundRuns(random, provider, shop, prefix, errands);
  let isAnnounced = false;
  const changes = random.chance(0.3);

  function dispute(intent: Intent): Work {
    const open = [...intent.disputes.values()].find(({ status }) => status === "needs_response");
    if (open && random.chance(0.5)) open.status = random.chance(0.5) ? "won" : "lost";
    const one = open ?? provider.openDispute(intent);
    return one ? reportDispute(intent, one) : offerOutOfTurn(asAdmin);
  }

  return {
    next(paid) {
      if (changes && !isAnnounced && random.chance(0.1)) {
        isAnnounced = true;
        return { ...announcement(random, shop, prefix), done: () => errands.push(runs.refundNext) };
      }
      const dice = random.below(100);
      if (dice < 10) return runs.start(paid);
      if (dice < 30) return runs.refundNext();
      if (dice < 40) return runs.steer();
      if (dice < 50) return changeStock(random, shop);
      if (dice < 55 || !paid) return offerOutOfTurn(asAdmin);
      if (dice < 65) return dispute(paid);
      if (dice < 80) return letIn(asAdmin, paid);
      if (dice < 85) return takeOut(asAdmin, paid);
      return askForMoney(paid);
    },
  };
}

/** Refunds of many orders at once. */
function createRefundRuns(
  random: Random,
  provider: Provider,
  shop: SimulatedShop,
  prefix: string,
  errands: (() => Work)[],
) {
  const asAdmin = asUser(shop.admin);
  let keys = 0;

  function start(paid: Intent | undefined): Work {
    const of =
      paid && random.chance(0.6) ? [paid.orderId, random.pick(provider.intents())!.orderId] : undefined;
    const filter = of
      ? { order_ids: of }
      : random.pick([{ item_id: shop.vip.id }, { status: "completed" }, ...(random.chance(0.1) ? [{}] : [])]);
    return {
      name: `start refunding ${JSON.stringify(filter)}`,
      statements: [
        asAdmin,
        statement(
          `select public.start_refund_run(md5($1)::uuid, f, 'requested_by_buyer', null, s.orders, s.cents)
            from cast($2 as jsonb) as f, public.run_sums(f) as s`,
          `${prefix}-run-${keys++}`,
          JSON.stringify(filter),
        ),
      ],
      refusal: /The selection is now|No paid order|in progress/,
      done: () => errands.push(refundNext),
    };
  }

  /** The job: one order of the run at a time. */
  const refundNext = (): Work => ({
    name: "refund the next of a run",
    statements: [statement("select public.advance_refund_run() as goes_on")],
    done([row]: { goes_on: boolean }[]) {
      if (row!.goes_on) errands.push(refundNext);
    },
  });

  const steer = (): Work => ({
    name: "stop, resume or retry a run",
    statements: [
      asAdmin,
      statement(
        "select public.steer_refund_run(id, $1) from public.refund_runs order by started_at, id limit 1",
        random.pick(["stop", "stop", "resume", "resume", "retry"]),
      ),
    ],
    refusal: /The run is/,
    done: () => errands.push(refundNext),
  });

  return { start, refundNext, steer };
}

/** Moves or cancels the festival. */
function announcement(random: Random, shop: SimulatedShop, prefix: string): Work {
  const facts = random.chance(0.5)
    ? { status: "cancelled" }
    : { status: "moved", starts_at: shop.movedTo, ends_at: shop.movedTo.replace("T11", "T22") };
  const refunds = random.pick(["everybody", "on_request", "on_request", "none"])!;
  return {
    name: `announce ${facts.status}, refunds: ${refunds}`,
    statements: [
      asUser(shop.admin),
      statement(
        `select public.announce_festival_change(md5($1)::uuid, version, content || $2::jsonb, $3,
            case $3 when 'on_request' then now() + interval '7 days' end, 'News', 'Dear guests')
          from public.festival_sections where id = 'facts'`,
        `${prefix}-change`,
        JSON.stringify(facts),
        refunds,
      ),
    ],
    refusal: /after you opened it|Enter the new date/,
  };
}

const askForMoney = ({ orderId }: Intent): Work => ({
  name: `ask for the money of ${orderId}`,
  statements: [asBuyerOf(orderId), statement("select public.request_refund($1)", orderId)],
  refusal: /cannot refund this order yourself|left to refund/,
});

const offerOutOfTurn = (asAdmin: Statement): Work => ({
  name: "offer a place out of turn",
  statements: [
    asAdmin,
    statement(
      "select public.offer_place(id) from public.waitlist_entries where state = 'waiting' order by number desc limit 1",
    ),
  ],
  refusal:
    /no longer on the waitlist|No tickets are available|this place could not be used|festival is canceled/,
});

const changeStock = (random: Random, shop: SimulatedShop): Work => ({
  name: "change the stock",
  statements: [
    asUser(shop.admin),
    statement(
      "select public.edit_inventory($1, '{}', $2, $2)",
      random.chance(0.7) ? shop.general.id : shop.vip.id,
      random.pick([-2, -1, 1, 2]),
    ),
  ],
  refusal: /cannot be below 0/,
});

/** An order's first valid ticket. */
const FIRST_TICKET = `(select id from public.tickets where order_id = $1 and voided_at is null order by order_item_id, position limit 1)`;

const letIn = (asAdmin: Statement, { orderId }: Intent): Work => ({
  name: `let in one of ${orderId}`,
  statements: [asAdmin, statement(`select public.check_in_code(${FIRST_TICKET}, 'no phone')`, orderId)],
  refusal: /ticket does not exist|no longer valid|already checked in/,
});

const takeOut = (asAdmin: Statement, { orderId }: Intent): Work => ({
  name: `take back who was let in of ${orderId}`,
  statements: [
    asAdmin,
    statement(
      `select public.undo_admission(id, 'wrong person') from public.admissions
        where undone_at is null and code_id = ${FIRST_TICKET} order by admitted_at, id limit 1`,
      orderId,
    ),
  ],
  refusal: /already undone/,
});

/** As the webhook does: records the provider's status, and then the consequences. */
export const reportDispute = (intent: Intent, { id, cents, status }: Dispute): Work => ({
  name: `dispute of ${intent.orderId}: ${status}`,
  statements: [
    statement(
      "select public.note_dispute($1, $2, $3, 'usd', 'general', $4, now() + interval '9 days', now(), now())",
      id,
      intent.id,
      cents,
      status,
    ),
    status === "lost"
      ? statement(
          "select public.record_provider_refund($1, $2, $3, 'succeeded', 'dispute_lost')",
          intent.id,
          id,
          cents,
        )
      : statement(
          "select public.record_dispute($1, $2, $3)",
          intent.id,
          id,
          status === "won" ? "won" : "opened",
        ),
  ],
  refusal: /not been confirmed yet/,
});
