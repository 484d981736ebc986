// The life of a payment intent, as pure rules: each takes the current state and returns the next one.
import type { Card } from "../store/card.ts";
import { declineError } from "./cards.ts";
import { chargeFor } from "./charges.ts";
import { bookedCharge } from "./balance-transactions.ts";
import { dispute } from "./disputes.ts";
import { newClientSecret, newId } from "../wire/ids.ts";
import type {
  Entry,
  IntentStatus,
  Metadata,
  NextAction,
  PaymentIntent,
  Transition,
} from "../store/objects.ts";
import type { ErrorBody } from "../wire/provider-error.ts";
import { invalidRequest, ProviderError } from "../wire/provider-error.ts";

export type IntentEntry = Entry<PaymentIntent>;

export interface NewIntent {
  readonly amount: number;
  readonly currency: string;
  readonly metadata?: Metadata;
  readonly description?: string | undefined;
  readonly receiptEmail?: string | undefined;
  readonly statementDescriptor?: string | undefined;
  readonly statementDescriptorSuffix?: string | undefined;
  readonly allowedTypes?: readonly string[];
  readonly automaticPaymentMethods?: PaymentIntent["automatic_payment_methods"];
  readonly captureMethod?: PaymentIntent["capture_method"] | undefined;
}

export function newIntent(wanted: NewIntent, at: number): IntentEntry {
  const id = newId("pi");
  const body: PaymentIntent = {
    id,
    object: "payment_intent",
    allowed_payment_method_types: wanted.allowedTypes?.length ? wanted.allowedTypes : null,
    amount: wanted.amount,
    amount_capturable: 0,
    amount_received: 0,
    automatic_payment_methods: wanted.automaticPaymentMethods ?? null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: wanted.captureMethod ?? "automatic_async",
    client_secret: newClientSecret(id),
    confirmation_method: "automatic",
    created: at,
    currency: wanted.currency,
    customer: null,
    description: wanted.description ?? null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    metadata: wanted.metadata ?? {},
    next_action: null,
    payment_method: null,
    payment_method_types: ["card"],
    processing: null,
    receipt_email: wanted.receiptEmail ?? null,
    setup_future_usage: null,
    shipping: null,
    statement_descriptor: wanted.statementDescriptor ?? null,
    statement_descriptor_suffix: wanted.statementDescriptorSuffix ?? null,
    status: "requires_payment_method",
  };
  return { root: id, body, hidden: {} };
}

const CHANGEABLE: readonly IntentStatus[] = [
  "requires_payment_method",
  "requires_confirmation",
  "requires_action",
];

export interface Confirmation {
  /** The card to pay with; undefined means the one given before. */
  readonly card: Card | undefined;
  readonly nextAction: (intent: PaymentIntent) => NextAction;
  /** When a late card settles, in milliseconds since the epoch. */
  readonly lateAt: number;
}

/** Throws ProviderError when the intent cannot be confirmed; a declined card is a transition with `declined`. */
export function confirm(intent: IntentEntry, confirmation: Confirmation, at: number): Transition {
  requireStatus(intent.body, CHANGEABLE, "confirm");
  const card = confirmation.card ?? intent.hidden.card;
  if (!card) {
    throw invalidRequest(
      "You cannot confirm this PaymentIntent because it's missing a payment method. " +
        "Update the PaymentIntent with a payment method and then confirm it again.",
      { code: "payment_intent_unexpected_state", payment_intent: intent.body },
    );
  }
  const attached: IntentEntry = {
    ...intent,
    hidden: { ...intent.hidden, card },
    body: {
      ...intent.body,
      payment_method: confirmation.card ? newId("pm") : intent.body.payment_method,
      last_payment_error: null,
      next_action: null,
    },
  };
  if (card.scenario.answers === "now") return conclude(attached, at);
  if (card.scenario.answers === "after_challenge") {
    const action = confirmation.nextAction(attached.body);
    return moved(
      attached,
      { status: "requires_action", next_action: action },
      "payment_intent.requires_action",
    );
  }
  return moved(
    { ...attached, dueAt: confirmation.lateAt },
    { status: "processing", processing: { type: "card", card: {} } },
    "payment_intent.processing",
  );
}

/** The buyer's answer to the 3-D Secure challenge. */
export function authenticate(intent: IntentEntry, passed: boolean, at: number): Transition {
  requireStatus(intent.body, ["requires_action"], "authenticate");
  return passed ? conclude(intent, at) : failed(intent, AUTHENTICATION_FAILED, []);
}

/** Settles a late payment. Does nothing if it is already settled. */
export function settle(intent: IntentEntry, at: number): Transition {
  return intent.body.status === "processing"
    ? conclude({ ...intent, dueAt: undefined }, at)
    : { entries: [], events: [] };
}

export function cancel(intent: IntentEntry, reason: string | undefined, at: number): Transition {
  requireStatus(intent.body, CHANGEABLE, "cancel");
  return moved(
    intent,
    { status: "canceled", canceled_at: at, cancellation_reason: reason ?? null, next_action: null },
    "payment_intent.canceled",
  );
}

export type IntentChanges = Partial<
  Pick<PaymentIntent, "amount" | "currency" | "metadata" | "description" | "receipt_email">
>;

/** Metadata and description may change at any time, amount and currency only until the intent is paid. */
export function update(intent: IntentEntry, changes: IntentChanges): Transition {
  if (changes.amount !== undefined || changes.currency !== undefined) {
    requireStatus(intent.body, CHANGEABLE, "update");
    // A challenge in progress was for the old amount.
    const challenged = intent.body.status === "requires_action";
    const status: IntentStatus = challenged ? "requires_confirmation" : intent.body.status;
    return {
      entries: [{ ...intent, body: { ...intent.body, ...changes, status, next_action: null } }],
      events: [],
    };
  }
  return { entries: [{ ...intent, body: { ...intent.body, ...changes } }], events: [] };
}

/** The part of an intent that a browser with a publishable key may see. */
export function publicView(intent: PaymentIntent) {
  const { amount_capturable, amount_received, customer, latest_charge, metadata, ...shown } = intent;
  const { statement_descriptor, statement_descriptor_suffix, ...visible } = shown;
  return visible;
}

/** A refusal that contains an intent, reduced for a browser. */
export function reduceRefusal(error: unknown): unknown {
  if (!(error instanceof ProviderError) || error.body.payment_intent === undefined) return error;
  const payment_intent = publicView(error.body.payment_intent as PaymentIntent);
  return new ProviderError(error.status, { ...error.body, payment_intent });
}

const AUTHENTICATION_FAILED: ErrorBody = {
  type: "invalid_request_error",
  code: "payment_intent_authentication_failure",
  message:
    "We are unable to authenticate your payment method. Please choose a different payment method and try again.",
};

/** The issuer's answer. */
function conclude(intent: IntentEntry, at: number): Transition {
  const card = intent.hidden.card!;
  const decline = card.scenario.decline && declineError(card.scenario.decline);
  const attempt = chargeFor(intent, card, decline, at);
  if (decline) return failed(intent, { ...decline, charge: attempt.body.id }, [attempt]);
  const { charge, booked } = bookedCharge(attempt, at);
  const { id: latest_charge, amount: amount_received } = charge.body;
  const paid = {
    status: "succeeded" as const,
    latest_charge,
    amount_received,
    next_action: null,
    processing: null,
  };
  const succeeded = moved(intent, paid, "payment_intent.succeeded", [charge, booked]);
  const reason = card.scenario.dispute;
  if (reason === undefined) return succeeded;
  const disputed = dispute(charge, reason, at);
  const untouched = succeeded.entries.filter(({ body }) => body.id !== charge.body.id);
  return {
    entries: [...untouched, ...disputed.entries],
    events: [...succeeded.events, ...disputed.events],
  };
}

function failed(intent: IntentEntry, error: ErrorBody, charges: readonly Entry[]): Transition {
  const { payment_method: id } = intent.body;
  const last_payment_error = { ...error, payment_method: { id, object: "payment_method", type: "card" } };
  const transition = moved(
    { ...intent, hidden: withoutCard(intent) },
    {
      status: "requires_payment_method",
      payment_method: null,
      last_payment_error,
      latest_charge: error.charge ?? intent.body.latest_charge,
      next_action: null,
      processing: null,
    },
    "payment_intent.payment_failed",
    charges,
  );
  return { ...transition, declined: last_payment_error };
}

function withoutCard(intent: IntentEntry): IntentEntry["hidden"] {
  const { card: _, ...rest } = intent.hidden;
  return rest;
}

function moved(
  intent: IntentEntry,
  changes: Partial<PaymentIntent>,
  type: string,
  others: readonly Entry[] = [],
): Transition {
  const next: IntentEntry = { ...intent, body: { ...intent.body, ...changes } };
  return { entries: [next, ...others], events: [{ type, object: next.body }] };
}

function requireStatus(intent: PaymentIntent, allowed: readonly IntentStatus[], verb: string): void {
  if (allowed.includes(intent.status)) return;
  const because =
    intent.status === "succeeded"
      ? "it has already succeeded after being previously confirmed."
      : `it has a status of ${intent.status}. Statuses in which it can be done: ${allowed.join(", ")}.`;
  throw invalidRequest(`You cannot ${verb} this PaymentIntent because ${because}`, {
    code: "payment_intent_unexpected_state",
    payment_intent: intent,
  });
}
