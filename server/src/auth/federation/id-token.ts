// Signing in with an id token that an app got from its provider, e.g. through Sign in with Apple on a phone: the id_token
// grant. The token must be the provider's, for one of our clients, unexpired, and made for this app's nonce.
import { createHash, timingSafeEqual } from "node:crypto";
import { createRemoteJWKSet, customFetch, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from "jose";
import * as oidc from "openid-client";
import { requireAgain } from "../account/require-account.ts";
import { OAuthRefusal, refuse } from "../errors.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { issueSession, type SignedIn } from "../sessions/sessions.ts";
import { customIdTokens, isCustom } from "./custom/custom-plan.ts";
import { type External, externalAccount, externalOf } from "./external-account.ts";
import { linkIdentity, requireManualLinking } from "./identities.ts";
import type { ProvidedUser } from "./provided-user.ts";
import type { TrustedIssuer } from "./trusted-issuer.ts";
import { type OutwardFetch, reachAnything } from "./outward.ts";
import { APPLE, FACEBOOK, GOOGLE } from "./providers/plans.ts";
import { Configurations } from "./providers/provider.ts";
import { appleUser, facebookTokenUser, genericUser, googleUser } from "./providers/shapes.ts";

export interface IdTokenGrant {
  readonly id_token: string;
  readonly access_token: string;
  readonly nonce: string;
  readonly provider: string;
  readonly client_id: string;
  readonly issuer: string;
  readonly link_identity: boolean;
}

const BAD = "invalid request";
/** Only asymmetric signatures, with a key that only the provider has. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];

export async function signInWithIdToken(
  parts: AuthParts,
  caller: AuthCaller,
  grant: IdTokenGrant,
): Promise<SignedIn> {
  const target = grant.link_identity ? await requireManualLinking(parts, caller) : undefined;
  if (grant.id_token === "") throw new OAuthRefusal(BAD, "id_token required");
  if (grant.provider === "" && (grant.client_id === "" || grant.issuer === ""))
    throw new OAuthRefusal(BAD, "provider or client_id and issuer required");
  const trusted = await trustedIssuer(parts, grant);
  const claims = await verifiedClaims(parts, trusted, grant).catch((error: unknown) => {
    parts.log.warn({ err: error, provider: trusted.provider }, "an id token was refused");
    throw new OAuthRefusal(BAD, "Bad ID token", error);
  });
  if (!claims.sub) throw new OAuthRefusal(BAD, "Missing sub claim in id_token");
  checkAudience(trusted, claims);
  if (!trusted.skipNonce) checkNonce(claims, grant.nonce);
  const user = trusted.describe(claims);
  if (user.emails.length === 0 && !trusted.emailOptional) throw new OAuthRefusal(BAD, "Bad ID token");
  const external = described(trusted, user);
  const signedIn = await parts.database.transaction(async (tx) => {
    if (target) await requireAgain(parts, tx, target);
    const account = target
      ? await linkIdentity(parts, tx, caller, target.user.id, external)
      : await externalAccount(parts, tx, caller, external);
    return issueSession(parts, tx, caller, account, "oauth");
  });
  parts.outbox.poke();
  return signedIn;
}

function described({ provider, emailOptional }: TrustedIssuer, user: ProvidedUser): External {
  try {
    return externalOf(provider, user, emailOptional);
  } catch (error) {
    throw new OAuthRefusal(BAD, "Bad ID token", error);
  }
}

async function trustedIssuer(parts: AuthParts, grant: IdTokenGrant): Promise<TrustedIssuer> {
  const { settings } = parts;
  if (isCustom(grant.provider)) return customIdTokens(parts, grant.provider);
  const name = builtIn(grant.provider) ?? issuerNames(parts).get(grant.issuer);
  const shared = { metadata: undefined, skipNonce: false, emailOptional: false, reach: reachAnything };
  if (name === undefined) {
    if (!settings.EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS.includes(grant.issuer)) {
      throw refuse("validation_failed", `Custom OIDC provider "${grant.provider}" not allowed`);
    }
    const { issuer } = grant;
    return { ...shared, provider: issuer, issuer, audiences: [grant.client_id], describe: genericUser };
  }
  const own = settings.providers[name];
  const { issuer, describe } = KNOWN[name];
  const tokensOf = own.URL || issuer;
  if (!own.ENABLED) throw refuse("provider_disabled", `Provider (issuer "${tokensOf}") is not enabled`);
  const bundle = name === "apple" ? [settings.EXTERNAL_IOS_BUNDLE_ID] : [];
  return {
    ...shared,
    provider: name,
    issuer: tokensOf,
    // Facebook's metadata address ends with a slash.
    metadata: name === "facebook" ? `${tokensOf}/.well-known/openid-configuration/` : undefined,
    audiences: [...own.CLIENT_ID, ...bundle].filter(Boolean),
    skipNonce: own.SKIP_NONCE_CHECK,
    emailOptional: own.EMAIL_OPTIONAL,
    describe,
  };
}

const KNOWN = {
  apple: { issuer: APPLE, describe: (claims: JWTPayload) => appleUser(claims) },
  google: { issuer: GOOGLE, describe: googleUser },
  facebook: { issuer: FACEBOOK, describe: facebookTokenUser },
  keycloak: { issuer: "", describe: genericUser },
};

const builtIn = (name: string): keyof typeof KNOWN | undefined =>
  Object.hasOwn(KNOWN, name) ? (name as keyof typeof KNOWN) : undefined;

/** The provider of each issuer. */
function issuerNames({ settings }: AuthParts): ReadonlyMap<string, keyof typeof KNOWN> {
  const { URL: realm, ENABLED: on } = settings.providers.keycloak;
  return new Map([
    [APPLE, "apple"],
    [GOOGLE, "google"],
    [FACEBOOK, "facebook"],
    ...(on && realm !== "" ? [[realm, "keycloak"] as const] : []),
  ]);
}

const configurations = new Configurations();
const keySets = new Map<string, JWTVerifyGetKey>();

async function verifiedClaims(
  parts: AuthParts,
  trusted: TrustedIssuer,
  { id_token, access_token }: IdTokenGrant,
): Promise<JWTPayload> {
  const configuration = await configurations.of(
    {
      name: trusted.provider,
      clientId: "tokens only",
      clientAuth: oidc.None(),
      server: { issuer: trusted.metadata ?? trusted.issuer },
      reach: trusted.reach,
    },
    parts.clock.now(),
  );
  const server = configuration.serverMetadata();
  if (!server.jwks_uri) throw new Error(`${trusted.issuer} publishes no keys`);
  if (server.issuer !== trusted.issuer) throw new Error(`${server.issuer} is not ${trusted.issuer}`);
  const { payload, protectedHeader } = await jwtVerify(id_token, keySet(server.jwks_uri, trusted.reach), {
    // Google has always spelled its issuer in two ways.
    issuer: trusted.issuer === GOOGLE ? [GOOGLE, "accounts.google.com"] : trusted.issuer,
    algorithms: ALGORITHMS,
    requiredClaims: ["exp", "iat", "aud"],
    currentDate: new Date(parts.clock.now()),
  });
  if (access_token !== "" && typeof payload.at_hash === "string") {
    const half = halfHash(protectedHeader.alg, access_token);
    if (half !== payload.at_hash) throw new Error("the access token is not the id token's");
  }
  return payload;
}

function keySet(uri: string, reach: OutwardFetch): JWTVerifyGetKey {
  const known = keySets.get(uri);
  if (known) return known;
  const set = createRemoteJWKSet(new URL(uri), {
    [customFetch]: reach,
    timeoutDuration: 10_000,
  });
  keySets.set(uri, set);
  return set;
}

/** OpenID Connect Core, section 3.1.3.6. */
function halfHash(algorithm: string, token: string): string {
  const hash = algorithm === "EdDSA" ? "sha512" : `sha${algorithm.slice(-3)}`;
  const digest = createHash(hash).update(token).digest();
  return digest.subarray(0, digest.length / 2).toString("base64url");
}

function checkAudience({ audiences }: TrustedIssuer, { aud }: JWTPayload): void {
  const given = [aud ?? []].flat();
  if (!given.some((one) => audiences.includes(one)))
    throw new OAuthRefusal(BAD, `Unacceptable audience in id_token: [${given.join(" ")}]`);
}

/** The app sends the nonce, the token holds its hash: whoever steals a token lacks the nonce. */
function checkNonce(claims: JWTPayload, nonce: string): void {
  const hashed = typeof claims.nonce === "string" ? claims.nonce : "";
  if ((hashed === "") !== (nonce === "")) {
    throw new OAuthRefusal(BAD, "Passed nonce and nonce in id_token should either both exist or not.");
  }
  if (nonce === "") return;
  const [given, wanted] = [
    Buffer.from(createHash("sha256").update(nonce).digest("hex")),
    Buffer.from(hashed),
  ];
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
    throw new OAuthRefusal("invalid nonce", "Nonces mismatch");
}
