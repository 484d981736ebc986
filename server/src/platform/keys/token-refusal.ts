// Why a bearer token is refused, worded for its sender. Nothing is verified here: it names the step at which the token
// failed, as far as that can be seen without its key.
import { isTooDeep } from "../http/json-depth.ts";

/** `decode`: it is not a token of ours; `claims`: it is, but its claims do not hold. */
export class TokenRefusal extends Error {
  readonly stage: "decode" | "claims";
  readonly details: string | null;

  constructor(stage: "decode" | "claims", message: string, details: string | null = null) {
    super(message);
    this.stage = stage;
    this.details = details;
  }
}

/** `audience`: the required audience; `now`: in milliseconds. A token without a visible problem was signed with another key. */
export function whyRefused(token: string, audience: string, now: number): TokenRefusal {
  if (token === "") return new TokenRefusal("decode", "Empty JWT is sent in Authorization header");
  const parts = token.split(".");
  if (parts.length !== 3) return new TokenRefusal("decode", `Expected 3 parts in JWT; got ${parts.length}`);
  const header = jsonObjectIn(parts[0]!);
  const claims = jsonObjectIn(parts[1]!);
  if (!header) return new TokenRefusal("decode", "JWT couldn't be decoded");
  if (!["HS256", "RS256", "ES256", "EdDSA"].includes(String(header.alg))) {
    const details = header.alg === "none" ? "JWT is unsecured but expected 'alg' was not 'none'" : null;
    return new TokenRefusal("decode", "Wrong or unsupported encoding algorithm", details);
  }
  if (!claims) return new TokenRefusal("claims", "Parsing claims failed");
  return claimProblem(claims, audience, now) ?? noKey();
}

const noKey = () =>
  new TokenRefusal(
    "decode",
    "No suitable key or wrong key type",
    "None of the keys was able to decode the JWT",
  );

/** Does not check expiry, which is already known: only a token of ours can be expired. */
function claimProblem(
  claims: Record<string, unknown>,
  audience: string,
  now: number,
): TokenRefusal | undefined {
  const { exp, nbf, iat, aud } = claims;
  for (const [name, value] of Object.entries({ exp, nbf, iat })) {
    if (value !== undefined && value !== null && typeof value !== "number")
      return new TokenRefusal("claims", `The JWT '${name}' claim must be a number`);
  }
  if (typeof nbf === "number" && nbf * 1000 > now) return new TokenRefusal("claims", "JWT not yet valid");
  if (aud !== undefined && aud !== null && ![aud].flat().every((one) => typeof one === "string")) {
    return new TokenRefusal("claims", "The JWT 'aud' claim must be a string or an array of strings");
  }
  return aud && ![aud].flat().includes(audience)
    ? new TokenRefusal("claims", "JWT not in audience")
    : undefined;
}

/** Decodes one part of a token. */
export const jsonObjectIn = (encoded: string) => jsonObject(Buffer.from(encoded, "base64url"));

/** Undefined where it is not a JSON object, or nests too deeply to be parsed. */
export function jsonObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  if (isTooDeep(bytes)) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
