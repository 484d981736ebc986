// One provider as the rest of auth sees it: where to send a person, and who came back. openid-client does the protocol; a
// plan holds what is specific to a provider.
import * as oidc from "openid-client";
import { type Claims, isClaims, type ProvidedUser } from "../provided-user.ts";
import type { OutwardFetch } from "../outward.ts";

export interface ProviderPlan {
  /** GoTrue's name for it: the `provider` of an identity. */
  readonly name: string;
  readonly clientId: string;
  readonly clientAuth: oidc.ClientAuth;
  readonly scopes: readonly string[];
  /** Answers with an id token, which is checked against a nonce. */
  readonly idToken: boolean;
  /** Documents support for PKCE (RFC 7636). */
  readonly pkce: boolean;
  /** Whether an account without an address may sign in. */
  readonly emailOptional: boolean;
  readonly parameters?: Readonly<Record<string, string>>;
  /** An issuer to discover, or endpoints that GoTrue hard-codes. */
  readonly server: { readonly issuer: string } | oidc.ServerMetadata;
  readonly reach: OutwardFetch;
  describe(answer: ProviderAnswer): Promise<ProvidedUser>;
}

interface ProviderAnswer {
  readonly tokens: oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers;
  readonly configuration: oidc.Configuration;
  /** What the browser brought along with the code. */
  readonly parameters: URLSearchParams;
  /** The object or list at `url`, requested with the access token. Rejects anything else, and any status but 200. */
  read(url: string): Promise<Claims>;
}

const DISCOVERED_FOR_MS = 3_600_000;
const PATIENCE_SECONDS = 10;

type Discoverable = Pick<ProviderPlan, "name" | "clientId" | "clientAuth" | "server" | "reach">;

/** Configurations by plan, so that an issuer's metadata is fetched only once an hour and its keys are kept. */
export class Configurations {
  readonly #known = new Map<string, { at: number; configuration: Promise<oidc.Configuration> }>();

  of(plan: Discoverable, now: number): Promise<oidc.Configuration> {
    const issuer = "authorization_endpoint" in plan.server ? undefined : plan.server.issuer;
    const key = JSON.stringify([plan.name, plan.clientId, plan.server]);
    const known = this.#known.get(key);
    if (known && now - known.at < DISCOVERED_FOR_MS) return known.configuration;
    const configuration =
      issuer === undefined ? Promise.resolve(configured(plan, plan.server)) : discovered(plan, issuer);
    this.#known.set(key, { at: now, configuration });
    configuration.catch(() => this.#known.delete(key));
    return configuration;
  }
}

function configured(plan: Discoverable, server: oidc.ServerMetadata): oidc.Configuration {
  const configuration = new oidc.Configuration(server, plan.clientId, undefined, plan.clientAuth);
  configuration[oidc.customFetch] = plan.reach;
  configuration.timeout = PATIENCE_SECONDS;
  if (isPlain(server.token_endpoint ?? server.issuer)) oidc.allowInsecureRequests(configuration);
  return configuration;
}

const discovered = (plan: Discoverable, issuer: string): Promise<oidc.Configuration> =>
  oidc.discovery(new URL(issuer), plan.clientId, undefined, plan.clientAuth, {
    [oidc.customFetch]: plan.reach,
    timeout: PATIENCE_SECONDS,
    // The token's signature is checked although it came over TLS, so that a misconfigured proxy in between cannot sign anyone
    // in.
    execute: [oidc.enableNonRepudiationChecks, ...(isPlain(issuer) ? [oidc.allowInsecureRequests] : [])],
  });

const isPlain = (address: string) => new URL(address).protocol === "http:";

/** What the server remembers of one pending sign-in, beyond its state. */
export interface Pending {
  readonly state: string;
  readonly verifier: string;
  readonly nonce: string;
  readonly redirectUri: string;
}

/** Where to send the browser. `extra` comes from the client and never overrides our own parameters. */
export async function authorizationUrl(
  plan: ProviderPlan,
  configuration: oidc.Configuration,
  pending: Pending,
  asked: { scopes: readonly string[]; extra: Readonly<Record<string, string>> },
): Promise<URL> {
  return oidc.buildAuthorizationUrl(configuration, {
    ...asked.extra,
    ...plan.parameters,
    redirect_uri: pending.redirectUri,
    scope: [...new Set([...plan.scopes, ...asked.scopes])].join(" "),
    state: pending.state,
    ...(plan.idToken && { nonce: pending.nonce }),
    ...(plan.pkce && {
      code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: "S256",
    }),
  });
}

export interface ProvidedSignIn {
  readonly tokens: ProviderAnswer["tokens"];
  describe(): Promise<ProvidedUser>;
}

/**
 * Exchanges the code in `parameters`. State, issuer (RFC 9207), nonce, audience, times and signature are checked. Rejects
 * with the library's own errors.
 */
export async function redeemCode(
  plan: ProviderPlan,
  configuration: oidc.Configuration,
  pending: Pending,
  parameters: URLSearchParams,
): Promise<ProvidedSignIn> {
  const answered = new URL(pending.redirectUri);
  for (const [name, value] of parameters) answered.searchParams.append(name, value);
  const tokens = await oidc.authorizationCodeGrant(configuration, answered, {
    expectedState: pending.state,
    ...(plan.idToken && { expectedNonce: pending.nonce, idTokenExpected: true }),
    ...(plan.pkce && { pkceCodeVerifier: pending.verifier }),
  });
  const read = async (url: string) => {
    const answer = await oidc.fetchProtectedResource(
      configuration,
      tokens.access_token,
      new URL(url),
      "GET",
      null,
      new Headers({ accept: "application/json", "user-agent": "supabase-auth" }),
    );
    if (answer.status !== 200) throw new Error(`${new URL(url).host} answers ${answer.status}`);
    const claims: unknown = await answer.json();
    if (!isClaims(claims)) throw new Error(`${new URL(url).host} answers with no object`);
    return claims;
  };
  return { tokens, describe: () => plan.describe({ tokens, configuration, parameters, read }) };
}
