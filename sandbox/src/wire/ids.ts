// Identifiers and secrets in Stripe's style.
import { randomBytes, randomUUID } from "node:crypto";

export type IdPrefix = "pi" | "pm" | "ch" | "re" | "du" | "po" | "txn" | "evt" | "req" | "cs_test";

/** Node keeps random bytes ready for UUIDs; for other texts it asks the system each time, and every call needs several ids. */
export const newId = (prefix: IdPrefix): string =>
  `${prefix}_${randomUUID()
    .replaceAll("-", "")
    .slice(0, prefix === "req" ? 14 : 24)}`;

/** The secret a browser pays with; it contains the intent's id. */
export const newClientSecret = (intentId: string): string =>
  `${intentId}_secret_${randomBytes(13).toString("hex").slice(0, 25)}`;
