// Access tokens and API keys as Supabase signs them: HS256 with the project's JWT secret. Verification is cached for a
// token's lifetime because every request of a session carries the same one (bounded in bytes, so a flood cannot fill memory).
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
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
  /** The claims of a valid token, or why it is refused. Checks signature, audience, `exp` and that a role is present. */
  verify(token: string): Promise<Claims | TokenFailure>;
}

/** The longest has room for full metadata (auth/account/metadata.ts); an ordinary token has about 900 characters. */
const REMEMBERED = { tokens: 10_000, characters: 16 * 1024 * 1024, longest: 8192 };

const base64url = (text: string) => Buffer.from(text, "utf8").toString("base64url");
const HEADER = base64url(JSON.stringify({ alg: "HS256", typ: "JWT" }));

export function createTokens(secret: string, clock: Clock): Tokens {
  const key = createSecretKey(Buffer.from(secret, "utf8"));
  const verified = new Map<string, Claims>();

  let characters = 0;

  const forget = (token: string) => {
    if (verified.delete(token)) characters -= token.length;
  };
  const remember = (token: string, claims: Claims) => {
    if (token.length > REMEMBERED.longest) return;
    forget(token);
    characters += token.length;
    while (verified.size >= REMEMBERED.tokens || characters > REMEMBERED.characters) {
      forget(verified.keys().next().value!);
    }
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
        forget(token);
        return "expired";
      }
      const claims = signedClaims(token, key);
      if (!claims || !isMeaningful(claims, clock.now())) return "invalid";
      if (!isLive(claims, clock.now())) return "expired";
      remember(token, claims);
      return claims;
    },
  };
}

/**
 * The claims of a token that we signed, otherwise undefined. There is one algorithm: a header that names another, or none, is
 * refused before anything is computed. Written by hand because of its speed (docs/decisions/020-tokens-verified-by-hand.md).
 */
function signedClaims(token: string, key: KeyObject): Partial<Claims> | undefined {
  const [header, payload, signature, ...more] = token.split(".");
  if (header === undefined || payload === undefined || signature === undefined || more.length > 0)
    return undefined;
  if (header !== HEADER) {
    const { alg, crit } = jsonObject(header) ?? {};
    if (alg !== "HS256" || crit !== undefined) return undefined;
  }
  const expected = createHmac("sha256", key).update(`${header}.${payload}`).digest("base64url");
  if (signature.length !== expected.length) return undefined;
  return timingSafeEqual(Buffer.from(signature, "latin1"), Buffer.from(expected, "latin1"))
    ? jsonObject(payload)
    : undefined;
}

function isMeaningful(claims: Partial<Claims>, now: number): claims is Claims {
  const { role, exp, nbf, iat } = claims;
  const seconds = [exp, nbf, iat].filter((time) => time !== undefined);
  return (
    typeof role === "string" &&
    isForUs(claims["aud"]) &&
    seconds.every((time) => typeof time === "number") &&
    (nbf === undefined || (nbf as number) * 1000 <= now)
  );
}

/** A user's token names Supabase's one audience; the project's keys, tokens signed by hand and those of rows made in SQL may name none. */
const isForUs = (audience: unknown): boolean =>
  audience === undefined ||
  audience === null ||
  audience === "" ||
  [audience].flat().includes("authenticated");

const isLive = ({ exp }: Claims, now: number) => exp === undefined || exp * 1000 > now;

function jsonObject(encoded: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
