// Refunds: together they never exceed their charge. The caller holds the lock on the charge's family.
import { newId } from "../wire/ids.ts";
import { balanceTransaction } from "./balance-transactions.ts";
import type { Charge, Entry, Family, Metadata, Refund, Transition } from "../store/objects.ts";
import { member } from "../store/objects.ts";
import { invalidRequest, noSuch } from "../wire/provider-error.ts";

export interface WantedRefund {
  readonly charge: string | undefined;
  readonly intent: string | undefined;
  /** Cents; undefined means the full remaining amount. */
  readonly amount: number | undefined;
  readonly reason: string | undefined;
  readonly metadata: Metadata;
}

/** Throws ProviderError when there is nothing, or less than requested, to refund. */
export function refund(
  family: Family,
  wanted: WantedRefund,
  at: number,
): Transition & { refund: Entry<Refund> } {
  const charge = findCharge(family, wanted);
  const left = charge.body.amount - charge.body.amount_refunded;
  if (left === 0) {
    const message = `Charge ${charge.body.id} has already been refunded.`;
    throw invalidRequest(message, { code: "charge_already_refunded" });
  }
  if (isChargedBack(family, charge.body.id)) {
    const message = `Charge ${charge.body.id} has been charged back; cannot issue a refund.`;
    throw invalidRequest(message, { code: "charge_disputed" });
  }
  const amount = wanted.amount ?? left;
  if (amount < 1)
    throw invalidRequest("Invalid positive integer", { code: "parameter_invalid_integer", param: "amount" });
  if (amount > left) {
    const message = `Refund amount (${dollars(amount)}) is greater than unrefunded amount on charge (${dollars(left)})`;
    throw invalidRequest(message, { param: "amount" });
  }
  const id = newId("re");
  const { root } = charge;
  const { currency, description } = charge.body;
  const booked = balanceTransaction(
    { root, source: id, type: "refund", category: "refund", amount: -amount, currency, description },
    at,
  );
  const body: Refund = {
    id,
    object: "refund",
    amount,
    balance_transaction: booked.body.id,
    charge: charge.body.id,
    created: at,
    currency,
    metadata: wanted.metadata,
    payment_intent: charge.body.payment_intent,
    reason: wanted.reason ?? null,
    receipt_number: null,
    status: "succeeded",
  };
  const amount_refunded = charge.body.amount_refunded + amount;
  const refunded: Charge = { ...charge.body, amount_refunded, refunded: amount === left };
  const made: Entry<Refund> = { root, body, hidden: {} };
  const previous = { amount_refunded: charge.body.amount_refunded, refunded: false };
  return {
    refund: made,
    entries: [{ ...charge, body: refunded }, made, booked],
    events: [
      { type: "charge.refunded", object: refunded, previous },
      { type: "refund.updated", object: body },
    ],
  };
}

/** A bank that has its money back, or may keep it, gets no second refund. */
function isChargedBack(family: Family, charge: string): boolean {
  return [...family.values()].some(
    ({ body }) => body.object === "dispute" && body.charge === charge && body.status !== "won",
  );
}

function findCharge(family: Family, wanted: WantedRefund): Entry<Charge> {
  if (wanted.charge !== undefined) {
    const charge = member(family, "charge", wanted.charge);
    if (!charge) throw noSuch("charge", wanted.charge, "charge");
    if (wanted.intent !== undefined && charge.body.payment_intent !== wanted.intent) {
      throw invalidRequest("The charge does not belong to the payment_intent.", { param: "payment_intent" });
    }
    if (!charge.body.paid) throw invalidRequest(`Charge ${wanted.charge} has failed and cannot be refunded.`);
    return charge;
  }
  const intent = member(family, "payment_intent", wanted.intent ?? null);
  if (!intent) throw noSuch("payment_intent", wanted.intent ?? "", "payment_intent");
  const charge = member(family, "charge", intent.body.latest_charge);
  if (!charge?.body.paid) {
    const message = `This PaymentIntent (${intent.body.id}) does not have a successful charge to refund.`;
    throw invalidRequest(message, { code: "payment_intent_unexpected_state", param: "payment_intent" });
  }
  return charge;
}

const dollars = (cents: number): string =>
  `$${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
