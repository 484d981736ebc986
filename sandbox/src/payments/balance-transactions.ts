// What changes the account's balance, as Stripe books it: each amount with its sign, and the provider's fee next to
// it.
import { newId } from "../wire/ids.ts";
import type { BalanceTransaction, Charge, Dispute, Entry } from "../store/objects.ts";

/** Stripe's price for a card in the United States: 2.9 % and 30 cents. It keeps them when the charge is refunded. */
const chargeFee = (cents: number): number => Math.round(cents * 0.029) + 30;
/** Charged for each dispute, whoever wins it. */
const DISPUTE_FEE = 1500;
const AVAILABLE_AFTER_SECONDS = 2 * 86_400;

interface Booking {
  readonly root: string;
  readonly source: string;
  readonly type: BalanceTransaction["type"];
  readonly category: BalanceTransaction["reporting_category"];
  /** Cents, negative for what leaves the account. */
  readonly amount: number;
  readonly fee?: number;
  readonly currency: string;
  readonly description?: string | null;
}

export function balanceTransaction(booking: Booking, at: number): Entry<BalanceTransaction> {
  const { root, source, type, category, amount, fee = 0, currency, description = null } = booking;
  const body: BalanceTransaction = {
    id: newId("txn"),
    object: "balance_transaction",
    amount,
    available_on: type === "charge" ? at + AVAILABLE_AFTER_SECONDS : at,
    balance_type: "payments",
    created: at,
    currency,
    description,
    exchange_rate: null,
    fee,
    fee_details:
      fee === 0
        ? []
        : [
            {
              amount: fee,
              application: null,
              currency,
              description: type === "charge" ? "Stripe processing fees" : "Dispute fee",
              type: "stripe_fee",
            },
          ],
    net: amount - fee,
    reporting_category: category,
    source,
    status: "available",
    type,
  };
  return { root, body, hidden: {} };
}

/** A charge that succeeded, with the balance transaction it causes. */
export function bookedCharge(charge: Entry<Charge>, at: number) {
  const { id: source, amount, currency, description } = charge.body;
  const booked = balanceTransaction(
    {
      root: charge.root,
      source,
      type: "charge",
      category: "charge",
      amount,
      fee: chargeFee(amount),
      currency,
      description,
    },
    at,
  );
  return { charge: { ...charge, body: { ...charge.body, balance_transaction: booked.body.id } }, booked };
}

/** Takes the disputed amount and the fee, or returns the amount. */
export function bookedDispute(
  { root, body }: Entry<Dispute>,
  category: "dispute" | "dispute_reversal",
  at: number,
): Entry<BalanceTransaction> {
  const { id: source, amount, currency, charge } = body;
  const taken = category === "dispute";
  const description = taken ? `Chargeback withdrawal for ${charge}` : `Chargeback reversal for ${charge}`;
  return balanceTransaction(
    {
      root,
      source,
      type: "adjustment",
      category,
      amount: taken ? -amount : amount,
      fee: taken ? DISPUTE_FEE : 0,
      currency,
      description,
    },
    at,
  );
}
