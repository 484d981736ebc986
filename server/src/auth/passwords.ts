// Passwords: what is strong enough, hashing, comparing. bcrypt's asynchronous functions run in libuv's threads, so a rush
// of sign-ins does not stop the event loop.
import { randomBytes } from "node:crypto";
import bcrypt from "bcrypt";
import { refuse } from "./errors.ts";

export interface Passwords {
  hash(password: string): Promise<string>;
  /** False for a user without a password or no user at all, after the same work as for one with. */
  matches(password: string, hash: string | null | undefined): Promise<boolean>;
}

/** bcrypt reads no further; longer ones would all match on their first 72 bytes. */
const MAX_BYTES = 72;

export function createPasswords(cost: number): Passwords {
  let decoy: Promise<string> | undefined;
  return {
    hash: (password) => bcrypt.hash(password, cost),
    async matches(password, hash) {
      const comparable = hash && Buffer.byteLength(password) <= MAX_BYTES ? hash : undefined;
      const against = comparable ?? (await (decoy ??= bcrypt.hash(randomBytes(16).toString("hex"), cost)));
      const equal = await bcrypt.compare(password, against);
      return comparable !== undefined && equal;
    },
  };
}

/** Throws GoTrue's refusal of a password that may not be set. */
export function checkStrength(password: string, minLength: number): void {
  if (Buffer.byteLength(password) > MAX_BYTES) {
    throw refuse("validation_failed", `Password cannot be longer than ${MAX_BYTES} characters`);
  }
  if (password.length < minLength) {
    throw refuse("weak_password", `Password should be at least ${minLength} characters.`, {
      extra: { weak_password: { reasons: ["length"] } },
    });
  }
}
