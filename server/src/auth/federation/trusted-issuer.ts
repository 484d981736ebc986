// Whose id tokens are believed when an app brings one.
import type { JWTPayload } from "jose";
import type { OutwardFetch } from "./outward.ts";
import type { ProvidedUser } from "./provided-user.ts";

/** Whose tokens are believed, and for whom. */
export interface TrustedIssuer {
  readonly provider: string;
  readonly issuer: string;
  /** Where its metadata is, if not where OpenID Connect says. */
  readonly metadata?: string | undefined;
  readonly audiences: readonly string[];
  readonly skipNonce: boolean;
  readonly emailOptional: boolean;
  readonly reach: OutwardFetch;
  describe(claims: JWTPayload): ProvidedUser;
}
