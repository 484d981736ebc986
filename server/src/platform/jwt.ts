// Access tokens and API keys as Supabase signs them: HS256 with the project's JWT secret. Verification is cached for a
// token's lifetime because every request of a session carries the same one (bounded, so a flood cannot fill memory).
import { createSecretKey } from "node:crypto";
import { errors, jwtVerify, SignJWT } from "jose";
import type { Clock } from "./clock.ts";

/** What row-level security sees as `request.jwt.claims`. */
export interface Claims {
  readonly role: string;
  readonly sub?: string;
  readonly exp?: number;
  readonly session_id?: string;
  readonly email?: string;
  readonly [claim: string]: unknown;
}

export type TokenFailure = "expired" | "invalid";

export interface Tokens {
  /** Signs the claims as they are; the caller sets `exp`. */
  sign(claims: Claims): Promise<string>;
  /** The claims of a valid token, or why it is refused. Checks signature, `exp` and that a role is present. */
  verify(token: string): Promise<Claims | TokenFailure>;
}

const CACHED_TOKENS = 10_000;

export function createTokens(secret: string, clock: Clock): Tokens {
  const key = createSecretKey(Buffer.from(secret, "utf8"));
  const verified = new Map<string, Claims>();

  return {
    sign: (claims) => new SignJWT({ ...claims }).setProtectedHeader({ alg: "HS256", typ: "JWT" }).sign(key),

    async verify(token) {
      const cached = verified.get(token);
      if (cached) {
        if (cached.exp === undefined || cached.exp * 1000 > clock.now()) return cached;
        verified.delete(token);
        return "expired";
      }
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ["HS256"],
          currentDate: new Date(clock.now()),
        });
        if (typeof payload.role !== "string") return "invalid";
        const claims = payload as Claims;
        if (verified.size >= CACHED_TOKENS) verified.delete(verified.keys().next().value!);
        verified.set(token, claims);
        return claims;
      } catch (error) {
        if (error instanceof errors.JWTExpired) return "expired";
        if (error instanceof errors.JOSEError) return "invalid";
        throw error;
      }
    },
  };
}
