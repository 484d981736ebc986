// Access tokens and API keys as Supabase signs them: HS256 with the project's JWT secret. Verification is cached for a
// token's lifetime because every request of a session carries the same one (bounded, so a flood cannot fill memory).
import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import type { Clock } from "./clock.ts";
import { onFirstUse } from "./on-first-use.ts";

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
      remember(token, claims); // signed here, so nothing to verify
      return token;
    },

    async verify(token) {
      const cached = verified.get(token);
      if (cached) {
        if (isLive(cached, clock.now())) return cached;
        verified.delete(token);
        return "expired";
      }
      const claims = await signedClaims(token, key, clock.now());
      if (claims === "expired") return "expired";
      if (claims === undefined || !hasRole(claims)) return "invalid";
      remember(token, claims);
      return claims;
    },
  };
}

// Loaded with the first token that another process signed: a start does not wait for its many files.
const jose = onFirstUse(() => import("jose"));

/** jose also takes padding, which the format forbids: one token would have two spellings. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Undefined for a token that is not ours (docs/decisions/020-tokens-verified-by-jose.md). */
async function signedClaims(
  token: string,
  key: KeyObject,
  now: number,
): Promise<Partial<Claims> | "expired" | undefined> {
  if (!COMPACT.test(token)) return undefined;
  const { errors, jwtVerify } = await jose.get();
  try {
    const options = { algorithms: ["HS256"], currentDate: new Date(now) };
    return (await jwtVerify<Partial<Claims>>(token, key, options)).payload;
  } catch (error) {
    return error instanceof errors.JWTExpired ? "expired" : undefined;
  }
}

const hasRole = (claims: Partial<Claims>): claims is Claims => typeof claims.role === "string";

const isLive = ({ exp }: Claims, now: number) => exp === undefined || exp * 1000 > now;
