// Which issuers' id tokens are trusted when an app brings one.
import type { JWTPayload } from "jose";
import type { OutwardFetch } from "./outward.ts";
import type { ProvidedUser } from "./provided-user.ts";

/** An issuer whose tokens are trusted, and for which audiences. */
export interface TrustedIssuer {
  readonly provider: string;
  readonly issuer: string;
  /** Where its metadata is, if not at OpenID Connect's standard address. */
  readonly metadata?: string | undefined;
  readonly audiences: readonly string[];
  readonly skipNonce: boolean;
  readonly emailOptional: boolean;
  readonly reach: OutwardFetch;
  describe(claims: JWTPayload): ProvidedUser;
}
