// Disputes: the bank takes the money when it opens one, and returns it if the evidence convinces it. As in Stripe's test mode,
// the evidence's text decides. The caller holds the lock on the charge's family.
import { newId } from "../wire/ids.ts";
import type { Charge, Dispute, Entry, Family, Transition } from "../store/objects.ts";
import { member } from "../store/objects.ts";
import { invalidRequest } from "../wire/provider-error.ts";
import { bookedDispute } from "./balance-transactions.ts";

const ANSWER_WITHIN_SECONDS = 7 * 86_400;
/** The texts that decide a dispute, as Stripe documents them. */
const VERDICTS: Readonly<Record<string, "won" | "lost">> = {
  winning_evidence: "won",
  losing_evidence: "lost",
};

/** Opens a dispute over the full amount of a charge. */
export function dispute(charge: Entry<Charge>, reason: Dispute["reason"], at: number): Transition {
  const body: Dispute = {
    id: newId("du"),
    object: "dispute",
    amount: charge.body.amount,
    balance_transactions: [],
    charge: charge.body.id,
    created: at,
    currency: charge.body.currency,
    enhanced_eligibility_types: [],
    evidence: { uncategorized_text: null },
    evidence_details: {
      due_by: at + ANSWER_WITHIN_SECONDS,
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: charge.body.payment_intent,
    reason,
    status: "needs_response",
  };
  const made: Entry<Dispute> = { root: charge.root, body, hidden: {} };
  const booked = bookedDispute(made, "dispute", at);
  const opened = { ...made, body: { ...body, balance_transactions: [booked.body] } };
  return {
    entries: [{ ...charge, body: { ...charge.body, disputed: true } }, opened, booked],
    events: [{ type: "charge.dispute.created", object: opened.body }],
  };
}

/** Submits evidence. A text that Stripe's test mode does not know leaves the dispute open. */
export function answer(
  family: Family,
  id: string,
  evidence: { text: string | undefined; submit: boolean },
  at: number,
): Transition {
  const open = openDispute(family, id);
  const text = evidence.text ?? open.body.evidence.uncategorized_text;
  const verdict = evidence.submit ? VERDICTS[text ?? ""] : undefined;
  const { submission_count } = open.body.evidence_details;
  const answered: Entry<Dispute> = {
    ...open,
    body: {
      ...open.body,
      evidence: { uncategorized_text: text },
      evidence_details: {
        ...open.body.evidence_details,
        has_evidence: text !== null,
        submission_count: submission_count + (evidence.submit ? 1 : 0),
      },
    },
  };
  if (verdict === undefined) {
    return { entries: [answered], events: [{ type: "charge.dispute.updated", object: answered.body }] };
  }
  return verdictOf(answered, verdict, at);
}

/** Accepts the dispute, and so loses it. */
export function close(family: Family, id: string, at: number): Transition {
  return verdictOf(openDispute(family, id), "lost", at);
}

function verdictOf(open: Entry<Dispute>, status: "won" | "lost", at: number): Transition {
  const back = status === "won" ? [bookedDispute(open, "dispute_reversal", at)] : [];
  const balance_transactions = [...open.body.balance_transactions, ...back.map(({ body }) => body)];
  const closed = { ...open, body: { ...open.body, status, balance_transactions } };
  return {
    entries: [closed, ...back],
    events: [{ type: "charge.dispute.closed", object: closed.body, previous: { status: open.body.status } }],
  };
}

function openDispute(family: Family, id: string): Entry<Dispute> {
  const found = member(family, "dispute", id);
  if (found?.body.status === "needs_response") return found;
  throw invalidRequest(`This dispute (${id}) is already closed.`, { code: "dispute_already_closed" });
}
