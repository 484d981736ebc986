// The provider's records: what the API returns for each kind, and how they are stored.
import type { Card } from "./card.ts";
import type { ErrorBody } from "../wire/provider-error.ts";

export type Metadata = Record<string, string>;

export interface PaymentIntent {
  readonly id: string;
  readonly object: "payment_intent";
  readonly allowed_payment_method_types: readonly string[] | null;
  readonly amount: number;
  readonly amount_capturable: 0;
  readonly amount_received: number;
  readonly automatic_payment_methods: { enabled: boolean; allow_redirects: "always" | "never" } | null;
  readonly canceled_at: number | null;
  readonly cancellation_reason: string | null;
  readonly capture_method: "automatic" | "automatic_async";
  readonly client_secret: string;
  readonly confirmation_method: "automatic";
  readonly created: number;
  readonly currency: string;
  readonly customer: null;
  readonly description: string | null;
  readonly last_payment_error: ErrorBody | null;
  readonly latest_charge: string | null;
  readonly livemode: false;
  readonly metadata: Metadata;
  readonly next_action: NextAction | null;
  readonly payment_method: string | null;
  readonly payment_method_types: readonly string[];
  readonly processing: { type: "card"; card: Record<string, never> } | null;
  readonly receipt_email: string | null;
  readonly setup_future_usage: null;
  readonly shipping: null;
  readonly statement_descriptor: string | null;
  readonly statement_descriptor_suffix: string | null;
  readonly status: IntentStatus;
}

export type IntentStatus =
  | "requires_payment_method"
  | "requires_confirmation"
  | "requires_action"
  | "processing"
  | "succeeded"
  | "canceled";

export type NextAction =
  | { type: "redirect_to_url"; redirect_to_url: { url: string; return_url: string } }
  | { type: "use_stripe_sdk"; use_stripe_sdk: { type: "three_d_secure_redirect"; stripe_js: string } };

export interface Charge {
  readonly id: string;
  readonly object: "charge";
  readonly amount: number;
  readonly amount_captured: number;
  readonly amount_refunded: number;
  readonly balance_transaction: string | null;
  readonly billing_details: Card["billing"];
  readonly captured: boolean;
  readonly created: number;
  readonly currency: string;
  readonly customer: null;
  readonly description: string | null;
  readonly disputed: boolean;
  readonly failure_code: string | null;
  readonly failure_message: string | null;
  readonly livemode: false;
  readonly metadata: Metadata;
  readonly outcome: object;
  readonly paid: boolean;
  readonly payment_intent: string;
  readonly payment_method: string | null;
  readonly payment_method_details: object;
  readonly receipt_email: string | null;
  readonly receipt_url: null;
  readonly refunded: boolean;
  readonly status: "succeeded" | "failed";
}

export interface Refund {
  readonly id: string;
  readonly object: "refund";
  readonly amount: number;
  readonly balance_transaction: string | null;
  readonly charge: string;
  readonly created: number;
  readonly currency: string;
  readonly metadata: Metadata;
  readonly payment_intent: string;
  readonly reason: string | null;
  readonly receipt_number: null;
  readonly status: "succeeded";
}

/** One change of the account's balance. */
export interface BalanceTransaction {
  readonly id: string;
  readonly object: "balance_transaction";
  readonly amount: number;
  readonly available_on: number;
  readonly balance_type: "payments";
  readonly created: number;
  readonly currency: string;
  readonly description: string | null;
  readonly exchange_rate: null;
  readonly fee: number;
  readonly fee_details: readonly {
    readonly amount: number;
    readonly application: null;
    readonly currency: string;
    readonly description: string;
    readonly type: "stripe_fee";
  }[];
  readonly net: number;
  readonly reporting_category: "charge" | "refund" | "dispute" | "dispute_reversal" | "payout";
  readonly source: string;
  readonly status: "available";
  readonly type: "charge" | "refund" | "adjustment" | "payout";
}

export interface Dispute {
  readonly id: string;
  readonly object: "dispute";
  readonly amount: number;
  readonly balance_transactions: readonly BalanceTransaction[];
  readonly charge: string;
  readonly created: number;
  readonly currency: string;
  readonly enhanced_eligibility_types: readonly [];
  readonly evidence: { readonly uncategorized_text: string | null };
  readonly evidence_details: {
    readonly due_by: number;
    readonly has_evidence: boolean;
    readonly past_due: boolean;
    readonly submission_count: number;
  };
  readonly is_charge_refundable: false;
  readonly livemode: false;
  readonly metadata: Metadata;
  readonly payment_intent: string;
  readonly reason: "fraudulent" | "product_not_received";
  readonly status: "needs_response" | "won" | "lost";
}

export interface Payout {
  readonly id: string;
  readonly object: "payout";
  readonly amount: number;
  readonly arrival_date: number;
  readonly automatic: false;
  readonly balance_transaction: string;
  readonly created: number;
  readonly currency: string;
  readonly description: string | null;
  readonly destination: null;
  readonly failure_code: null;
  readonly failure_message: null;
  readonly livemode: false;
  readonly metadata: Metadata;
  readonly method: "standard";
  readonly source_type: "card";
  readonly statement_descriptor: null;
  readonly status: "paid";
  readonly type: "bank_account";
}

export interface CheckoutSession {
  readonly id: string;
  readonly object: "checkout.session";
  readonly amount_total: number;
  readonly created: number;
  readonly currency: string;
  readonly livemode: false;
  readonly metadata: Metadata;
  readonly mode: "payment";
  readonly payment_intent: string | null;
  readonly payment_status: "unpaid" | "paid";
  readonly status: "open" | "complete";
  readonly success_url: string;
}

export interface ProviderEvent {
  readonly id: string;
  readonly object: "event";
  readonly api_version: string;
  readonly created: number;
  readonly data: { readonly object: object; readonly previous_attributes?: object };
  readonly livemode: false;
  readonly pending_webhooks: number;
  readonly request: { readonly id: string | null; readonly idempotency_key: string | null };
  readonly type: string;
}

export type ProviderObject =
  | PaymentIntent
  | Charge
  | Refund
  | Dispute
  | Payout
  | BalanceTransaction
  | CheckoutSession
  | ProviderEvent;
export type Kind = ProviderObject["object"];

/** Fields that the API never returns. */
interface Hidden {
  /** The card an intent was last confirmed with. */
  readonly card?: Card;
}

export interface Entry<Body extends ProviderObject = ProviderObject> {
  readonly root: string;
  readonly body: Body;
  readonly hidden: Hidden;
  /** When the object changes without a call, in milliseconds since the epoch: a late payment settles. */
  readonly dueAt?: number | undefined;
}

/** All objects that share a root, by id. */
export type Family = ReadonlyMap<string, Entry>;

/** The member with this id if it is of this kind. */
export function member<K extends Kind>(
  family: Family,
  kind: K,
  id: string | null,
): Entry<Extract<ProviderObject, { object: K }>> | undefined {
  const found = id === null ? undefined : family.get(id);
  return found?.body.object === kind ? (found as Entry<Extract<ProviderObject, { object: K }>>) : undefined;
}

/** A rule's decision: objects to store, events to send, and a refusal to return even though they are stored. */
export interface Transition {
  readonly entries: readonly Entry[];
  readonly events: readonly {
    readonly type: string;
    readonly object: ProviderObject;
    readonly previous?: object;
  }[];
  readonly declined?: ErrorBody;
}
