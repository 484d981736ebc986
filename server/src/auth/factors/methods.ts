// The kinds of factors, and the name each has in a token's `amr` once it was used.
import type { AuthMethod } from "../sessions/queries.ts";

export type FactorType = "totp" | "phone" | "webauthn" | "recovery_code";

export const METHOD_OF_FACTOR: Readonly<Record<FactorType, AuthMethod>> = {
  totp: "totp",
  phone: "mfa/phone",
  webauthn: "mfa/webauthn",
  recovery_code: "mfa/recovery_code",
};

/** What the mail to its owner calls a factor. */
export const WORDS_OF_FACTOR = {
  totp: "an authenticator app",
  phone: "a phone",
  webauthn: "a security key",
  recovery_code: "recovery codes",
} as const satisfies Record<FactorType, string>;
