// A charge: one attempt to take an intent's amount from a card, successful or not.
import type { Card } from "../store/card.ts";
import { newId } from "../wire/ids.ts";
import type { Charge, Entry, PaymentIntent } from "../store/objects.ts";
import type { ErrorBody } from "../wire/provider-error.ts";

export function chargeFor(
  intent: Entry<PaymentIntent>,
  card: Card,
  decline: ErrorBody | undefined,
  at: number,
): Entry<Charge> {
  const { id, amount, currency, description, metadata, payment_method, receipt_email } = intent.body;
  const paid = decline === undefined;
  const body: Charge = {
    id: newId("ch"),
    object: "charge",
    amount,
    amount_captured: paid ? amount : 0,
    amount_refunded: 0,
    balance_transaction: null,
    billing_details: card.billing,
    captured: paid,
    created: at,
    currency,
    customer: null,
    description,
    disputed: false,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    livemode: false,
    metadata,
    outcome: {
      network_status: paid ? "approved_by_network" : "declined_by_network",
      reason: decline?.decline_code ?? decline?.code ?? null,
      risk_level: "normal",
      seller_message: decline?.message ?? "Payment complete.",
      type: paid ? "authorized" : "issuer_declined",
    },
    paid,
    payment_intent: id,
    payment_method,
    payment_method_details: {
      type: "card",
      card: {
        brand: card.brand,
        country: "US",
        exp_month: card.exp_month,
        exp_year: card.exp_year,
        funding: "credit",
        last4: card.last4,
        network: card.brand,
        three_d_secure: card.scenario.answers === "after_challenge" ? { result: "authenticated" } : null,
        wallet: card.wallet && { type: card.wallet, dynamic_last4: null },
      },
    },
    receipt_email,
    receipt_url: null,
    refunded: false,
    status: paid ? "succeeded" : "failed",
  };
  return { root: intent.root, body, hidden: {} };
}
