// Access tokens and API keys as Supabase signs them: HS256 with the project's JWT secret. Verification is cached for a
// token's lifetime because every request of a session carries the same one (bounded, so a flood cannot fill memory).
import { createHmac, createSecretKey } from "node:crypto";
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
  sign(claims: Claims): string;
  /** The claims of a valid token, or why it is refused. Checks signature, `exp` and that a role is present. */
  verify(token: string): Promise<Claims | TokenFailure>;
}

const CACHED_TOKENS = 10_000;

const base64url = (text: string) => Buffer.from(text, "utf8").toString("base64url");
const HEADER = base64url(JSON.stringify({ alg: "HS256", typ: "JWT" }));

export function createTokens(secret: string, clock: Clock): Tokens {
  const key = createSecretKey(Buffer.from(secret, "utf8"));
  const verified = new Map<string, Claims>();

  const remember = (token: string, claims: Claims) => {
    if (verified.size >= CACHED_TOKENS) verified.delete(verified.keys().next().value!);
    verified.set(token, claims);
  };

  return {
    sign(claims) {
      const text = `${HEADER}.${base64url(JSON.stringify(claims))}`;
      const token = `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
      remember(token, claims); // what was signed here needs no proof
      return token;
    },

    async verify(token) {
      const cached = verified.get(token);
      if (cached) {
        if (cached.exp === undefined || cached.exp * 1000 > clock.now()) return cached;
        verified.delete(token);
        return "expired";
      }
      // Loaded with the first token from another process: a start does not wait for it.
      const { errors, jwtVerify } = await import("jose");
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ["HS256"],
          currentDate: new Date(clock.now()),
        });
        if (typeof payload.role !== "string") return "invalid";
        const claims = payload as Claims;
        remember(token, claims);
        return claims;
      } catch (error) {
        if (error instanceof errors.JWTExpired) return "expired";
        if (error instanceof errors.JOSEError) return "invalid";
        throw error;
      }
    },
  };
}
