// Checkout Sessions: a page of the provider takes the payment. A session follows the intent it created.
import { newId } from "../wire/ids.ts";
import type {
  CheckoutDetails,
  CheckoutSession,
  Entry,
  Family,
  Metadata,
  PaymentIntent,
  Transition,
} from "../store/objects.ts";
import { member } from "../store/objects.ts";
import { type Confirmation, cancel, confirm, newIntent } from "./payment-intents.ts";
import { invalidRequest } from "../wire/provider-error.ts";

export type SessionEntry = Entry<CheckoutSession>;

export interface NewSession {
  readonly currency: string;
  readonly details: CheckoutDetails;
  readonly successUrl: string;
  readonly cancelUrl: string | undefined;
  readonly customerEmail: string | undefined;
  readonly clientReferenceId: string | undefined;
  readonly metadata: Metadata;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
  readonly pageOf: (id: string) => string;
}

export function newSession(wanted: NewSession, at: number): SessionEntry {
  const id = newId("cs_test");
  const total = wanted.details.lines.reduce((sum, line) => sum + line.unitAmount * line.quantity, 0);
  const body: CheckoutSession = {
    id,
    object: "checkout.session",
    amount_subtotal: total,
    amount_total: total,
    cancel_url: wanted.cancelUrl ?? null,
    client_reference_id: wanted.clientReferenceId ?? null,
    created: at,
    currency: wanted.currency,
    customer: null,
    customer_details: null,
    customer_email: wanted.customerEmail ?? null,
    expires_at: wanted.expiresAt,
    livemode: false,
    metadata: wanted.metadata,
    mode: "payment",
    payment_intent: null,
    payment_method_types: ["card"],
    payment_status: "unpaid",
    status: "open",
    success_url: wanted.successUrl,
    ui_mode: "hosted_page",
    url: wanted.pageOf(id),
  };
  return { root: id, body, hidden: { checkout: wanted.details }, dueAt: wanted.expiresAt * 1000 };
}

/** Where the buyer goes once the session is complete. */
export const successUrl = (session: CheckoutSession): string =>
  session.success_url.replaceAll("{CHECKOUT_SESSION_ID}", session.id);

/** The buyer pays on the page. A second attempt after a decline uses the same intent. */
export function pay(
  family: Family,
  session: SessionEntry,
  confirmation: Confirmation,
  at: number,
): Transition {
  requireOpen(session.body);
  const { amount_total: amount, currency } = session.body;
  const { intentMetadata: metadata, description, receiptEmail } = session.hidden.checkout!;
  const intent =
    member(family, "payment_intent", session.body.payment_intent) ??
    newIntent(
      {
        amount,
        currency,
        metadata,
        description: description ?? undefined,
        receiptEmail: receiptEmail ?? session.body.customer_email ?? undefined,
        session: session.body.id,
      },
      at,
    );
  const billing = confirmation.card?.billing;
  const customer_details = {
    email: session.body.customer_email ?? billing?.email ?? null,
    name: billing?.name ?? null,
  };
  const started = { ...session, body: { ...session.body, payment_intent: intent.body.id, customer_details } };
  return withSession(new Map([[started.body.id, started]]), confirm(intent, confirmation, at));
}

/** Closes an open session for good, including the payment in progress in it. */
export function expire(family: Family, session: SessionEntry, at: number): Transition {
  requireOpen(session.body);
  const body = { ...session.body, status: "expired", url: null } as const;
  const expired: SessionEntry = { ...session, body, dueAt: undefined };
  const intent = member(family, "payment_intent", session.body.payment_intent);
  const live = intent && intent.body.status !== "canceled";
  const dropped = live ? cancel(intent, "abandoned", at) : { entries: [], events: [] };
  return {
    entries: [...dropped.entries, expired],
    events: [...dropped.events, { type: "checkout.session.expired", object: body }],
  };
}

/** Adds to an intent's transition its effect on the intent's session, if it has one. */
export function withSession(family: Family, transition: Transition): Transition {
  const intent = transition.entries.find((entry) => entry.body.object === "payment_intent") as
    | Entry<PaymentIntent>
    | undefined;
  const session = intent && member(family, "checkout.session", intent.hidden.session ?? null);
  if (!session) return transition;
  const { changes, event } = consequence(session.body, intent.body);
  const body = { ...session.body, ...changes };
  const next: SessionEntry = { ...session, body, dueAt: body.status === "open" ? session.dueAt : undefined };
  return {
    ...transition,
    entries: [...transition.entries, next],
    events: [...transition.events, ...(event ? [{ type: event, object: next.body }] : [])],
  };
}

function consequence(
  session: CheckoutSession,
  intent: PaymentIntent,
): { changes: Partial<CheckoutSession>; event?: string } {
  const complete = { status: "complete", url: null } as const;
  if (session.status === "open") {
    if (intent.status === "succeeded") {
      return { changes: { ...complete, payment_status: "paid" }, event: "checkout.session.completed" };
    }
    if (intent.status === "processing") return { changes: complete, event: "checkout.session.completed" };
  }
  if (session.status === "complete" && session.payment_status === "unpaid") {
    if (intent.status === "succeeded") {
      return { changes: { payment_status: "paid" }, event: "checkout.session.async_payment_succeeded" };
    }
    return { changes: {}, event: "checkout.session.async_payment_failed" };
  }
  return { changes: {} };
}

function requireOpen(session: CheckoutSession): void {
  if (session.status === "open") return;
  throw invalidRequest(`This Session is ${session.status} and can no longer be paid or expired.`, {
    code: "checkout_session_not_open",
  });
}
