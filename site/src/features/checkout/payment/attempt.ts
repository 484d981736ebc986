// One buyer's attempt to pay for one basket, kept across reloads and redirects: the idempotency key under which the
// order is placed and, once there is one, the payment. The key stays the same as long as the basket does.
import type { OrderRequest } from "../queries.ts";
import { serverNow } from "#lib/time/server-clock.ts";
import { readJson, readText, writeJson } from "#lib/browser/stored-json.ts";

const KEY = "houston-culture-festival:payment-attempt";

/** Where storage is full or blocked: lasts until the page is left. */
let unkept: Attempt | undefined;

export interface Payment {
  /** Empty when there is nothing to pay. */
  clientSecret: string;
  orderId: string;
  /** ISO time; after it the tickets are no longer held. */
  holdExpiresAt: string;
}

export type Proof = { paymentIntentId: string } | { orderId: string };

export interface Attempt {
  userId: string;
  /** The whole order request. A changed one is a new attempt. */
  fingerprint: string;
  idempotencyKey: string;
  payment?: Payment;
  /** ISO time, for an order that was placed in another browser and whose payment is not open in this one yet. */
  heldUntil?: string;
}

/** The payment's order, and the address its tickets are sent to, as the confirmation shows them. */
export function orderOf({ fingerprint, payment }: Attempt): { orderId?: string; email?: string } {
  const { buyerInfo } = JSON.parse(fingerprint) as Partial<OrderRequest>;
  return {
    ...(payment?.orderId && { orderId: payment.orderId }),
    ...(buyerInfo?.email && { email: buyerInfo.email }),
  };
}

/** This user's remembered attempt, for any basket. */
export function rememberedAttempt(userId: string): Attempt | undefined {
  if (unkept?.userId === userId) return unkept;
  try {
    const stored = readJson("local", KEY);
    return isAttempt(stored) && stored.userId === userId ? stored : undefined;
  } catch {
    return undefined;
  }
}

export function rememberAttempt(attempt: Attempt): void {
  writeJson("local", KEY, attempt);
  unkept = readText("local", KEY) === JSON.stringify(attempt) ? undefined : attempt;
}

export function forgetAttempt(): void {
  unkept = undefined;
  writeJson("local", KEY, undefined);
}

/** This user's remembered attempt, once its order has been placed. */
export function placedAttempt(userId: string): Attempt | undefined {
  const attempt = rememberedAttempt(userId);
  return attempt?.payment || attempt?.heldUntil ? attempt : undefined;
}

/** Whether tickets are held for this user, as far as this browser knows. */
export function holdsTickets(userId: string | undefined): boolean {
  const attempt = userId === undefined ? undefined : placedAttempt(userId);
  const until = attempt?.payment?.holdExpiresAt ?? attempt?.heldUntil;
  return until !== undefined && Date.parse(until) > serverNow();
}

/** Forgets the attempt unless it is this user's. */
export function forgetAttemptOfOthers(userId: string): void {
  if (!rememberedAttempt(userId)) forgetAttempt();
}

/** The remembered attempt if it is for the same request, or else a new one. */
export function attemptFor(
  userId: string,
  fingerprint: string,
  remembered: Attempt | undefined,
  newKey: () => string = () => crypto.randomUUID(),
): Attempt {
  if (remembered?.userId === userId && remembered.fingerprint === fingerprint) return remembered;
  return { userId, fingerprint, idempotencyKey: newKey() };
}

/** The remembered attempt if it is the one that this payment paid for. Another tab may have begun a new one since. */
export function attemptOf(userId: string, paid: Proof): Attempt | undefined {
  const attempt = rememberedAttempt(userId);
  const isPaid = attempt?.payment && JSON.stringify(proofOf(attempt.payment)) === JSON.stringify(paid);
  return isPaid ? attempt : undefined;
}

/** What confirms the order: its payment, or its own id when there is nothing to pay. */
export function proofOf({ clientSecret, orderId }: Payment): Proof {
  return clientSecret === "" ? { orderId } : { paymentIntentId: intentId(clientSecret) };
}

/** The intent's id is the part of its client secret before "_secret_". */
export function intentId(clientSecret: string): string {
  return clientSecret.split("_secret_")[0] ?? "";
}

function isAttempt(value: unknown): value is Attempt {
  if (typeof value !== "object" || value === null) return false;
  const attempt = value as Partial<Attempt>;
  const texts = [attempt.userId, attempt.fingerprint, attempt.idempotencyKey];
  const payment = attempt.payment;
  return (
    texts.every((text) => typeof text === "string") &&
    (payment === undefined ||
      (typeof payment.clientSecret === "string" && typeof payment.holdExpiresAt === "string"))
  );
}
