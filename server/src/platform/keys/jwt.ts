// Access tokens and API keys as Supabase signs them: with a signing key, or with HS256 and the project's JWT secret, which is
// always accepted. Verification is cached for a token's lifetime because every request of a session carries the same one. The
// cache is limited in bytes, so a flood cannot fill memory.
import { createHmac, type KeyObject, sign } from "node:crypto";
import { compactVerify, type CompactVerifyGetKey } from "jose/jws/compact/verify";
import type { Clock } from "../clock.ts";
import { type Algorithm, ALGORITHMS, NO_KEYS, type SigningKeys } from "./signing-keys.ts";
import { jsonObject } from "./token-refusal.ts";

/** What row-level security sees as `request.jwt.claims`. */
export interface Claims {
  /** Empty when the token names none; each service decides what that means. */
  readonly role: string;
  readonly sub?: string;
  readonly exp?: number;
  readonly session_id?: string;
  readonly email?: string;
  readonly [claim: string]: unknown;
}

type TokenFailure = "expired" | "invalid";

export interface Tokens {
  /** Signs the claims as they are with the current key; the caller sets `exp`. */
  sign(claims: Claims): string;
  /** As above with the JWT secret, like API keys. */
  signWithSecret(claims: Claims): string;
  /** The audience of users' tokens. */
  readonly audience: string;
  /** The public halves of the keys. */
  readonly published: SigningKeys["published"];
  /** The claims of a valid token, or why it is refused. Checks signature, audience and `exp`. */
  verify(token: string): Promise<Claims | TokenFailure>;
}

/** The longest cached token has room for full metadata (auth/account/metadata.ts); an ordinary token has about 900 characters. */
const REMEMBERED = { tokens: 10_000, characters: 16 * 1024 * 1024, longest: 8192 };

/** Longer tokens are refused unread. Node refuses a request whose head is as long, so only a socket's frames can bring them. */
const LONGEST = 16 * 1024;

/** Supabase's audience, unless GOTRUE_JWT_AUD names another. */
const AUDIENCE = "authenticated";

const base64url = (text: string) => Buffer.from(text, "utf8").toString("base64url");
const HEADER = base64url(JSON.stringify({ alg: "HS256", typ: "JWT" }));

const headerOf = ({ algorithm, kid }: NonNullable<SigningKeys["current"]>) =>
  base64url(JSON.stringify({ alg: algorithm, kid, typ: "JWT" }));

/** `keysByName`: API keys that are not tokens, and their claims. `audience`: the audience of users' tokens. */
export function createTokens(
  secret: string,
  clock: Clock,
  keys: SigningKeys = NO_KEYS,
  keysByName: ReadonlyMap<string, Claims> = new Map(),
  audience = AUDIENCE,
): Tokens {
  const keyFor = keysToVerifyWith(secret, keys);
  const currentHeader = keys.current && headerOf(keys.current);
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

  const signWithSecret = (claims: Claims) => {
    const text = `${HEADER}.${base64url(JSON.stringify(claims))}`;
    const token = `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
    remember(token, claims); // signed here, so there is nothing to verify
    return token;
  };

  return {
    published: keys.published,
    audience,
    signWithSecret,

    sign(claims) {
      const { current } = keys;
      if (!current) return signWithSecret(claims);
      const text = `${currentHeader}.${base64url(JSON.stringify(claims))}`;
      const token = `${text}.${signatureOf(current.algorithm, current.key, text)}`;
      remember(token, claims);
      return token;
    },

    async verify(token) {
      if (token.length > LONGEST) return "invalid";
      const cached = verified.get(token);
      if (cached) {
        if (isLive(cached, clock.now())) return cached;
        forget(token);
        return "expired";
      }
      const named = keysByName.get(token);
      if (named) return named;
      const claims = await signedClaims(token, keyFor);
      if (!claims || !isMeaningful(claims, audience, clock.now())) return "invalid";
      if (!isLive(claims, clock.now())) return "expired";
      const known = { ...claims, role: claims.role ?? "" };
      remember(token, known);
      return known;
    },
  };
}

/** RFC 7518, section 3.4: an ECDSA signature is the two numbers, not their DER encoding. */
const inJwsForm = (key: KeyObject) => ({ key, dsaEncoding: "ieee-p1363" }) as const;
const digestOf = (algorithm: Algorithm) => (algorithm === "EdDSA" ? null : "sha256");

const signatureOf = (algorithm: Algorithm, key: KeyObject, text: string) =>
  sign(digestOf(algorithm), Buffer.from(text), inJwsForm(key)).toString("base64url");

/** The key decides the algorithm: a header that names a different one, or none, finds no key. */
function keysToVerifyWith(secret: string, { byKid }: SigningKeys): CompactVerifyGetKey {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const secretKey = crypto.subtle.importKey("raw", Buffer.from(secret, "utf8"), hmac, false, ["verify"]);
  return ({ alg, kid }) => {
    if (alg === "HS256") return secretKey;
    const known = kid === undefined ? undefined : byKid.get(kid);
    if (known?.algorithm !== alg) throw new Error("no such key");
    return known.key;
  };
}

/** The claims of a token that we signed, otherwise undefined. */
async function signedClaims(
  token: string,
  keyFor: CompactVerifyGetKey,
): Promise<Partial<Claims> | undefined> {
  try {
    const { payload } = await compactVerify(token, keyFor, { algorithms: ["HS256", ...ALGORITHMS] });
    return jsonObject(payload);
  } catch {
    return undefined;
  }
}

function isMeaningful(claims: Partial<Claims>, audience: string, now: number): boolean {
  const { role, exp, nbf, iat } = claims;
  const seconds = [exp, nbf, iat].filter((time) => time !== undefined);
  return (
    (role === undefined || typeof role === "string") &&
    isFor(audience, claims["aud"]) &&
    seconds.every((time) => typeof time === "number") &&
    (nbf === undefined || (nbf as number) * 1000 <= now)
  );
}

/**
 * A user's token names the audience; the project's keys, tokens signed by hand and those of rows created in SQL may name
 * none.
 */
const isFor = (audience: string, named: unknown): boolean =>
  named === undefined || named === null || named === "" || [named].flat().includes(audience);

const isLive = ({ exp }: Partial<Claims>, now: number) => exp === undefined || exp * 1000 > now;
