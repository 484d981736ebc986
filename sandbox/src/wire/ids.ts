// Identifiers and secrets in Stripe's style.
import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export type IdPrefix = "pi" | "pm" | "ch" | "re" | "du" | "po" | "txn" | "evt" | "req" | "cs_test";

export const newId = (prefix: IdPrefix): string => `${prefix}_${randomText(prefix === "req" ? 14 : 24)}`;

/** The secret a browser pays with; it contains the intent's id. */
export const newClientSecret = (intentId: string): string => `${intentId}_secret_${randomText(25)}`;

function randomText(length: number): string {
  return Array.from(randomBytes(length), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
}
