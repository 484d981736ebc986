// Identifiers and secrets in Stripe's style.
import { randomUUID } from "node:crypto";

export type IdPrefix = "pi" | "pm" | "ch" | "re" | "du" | "po" | "txn" | "evt" | "req" | "cs_test";

export const newId = (prefix: IdPrefix): string => `${prefix}_${randomText(prefix === "req" ? 14 : 24)}`;

/** The secret a browser pays with; it contains the intent's id. */
export const newClientSecret = (intentId: string): string => `${intentId}_secret_${randomText(25)}`;

/** At most 32 hexadecimal digits. Node keeps random bytes ready for UUIDs; for other texts it would ask the system each time. */
const randomText = (length: number): string => randomUUID().replaceAll("-", "").slice(0, length);
