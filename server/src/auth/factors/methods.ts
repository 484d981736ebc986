// What a factor is called in a token's `amr` once it was used.
import type { AuthMethod } from "../sessions/queries.ts";
import type { FactorType } from "./queries.ts";

export const METHOD_OF_FACTOR: Readonly<Record<FactorType, AuthMethod>> = {
  totp: "totp",
  phone: "mfa/phone",
  webauthn: "mfa/webauthn",
  recovery_code: "mfa/recovery_code",
};
