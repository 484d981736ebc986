// Custom providers in use: what an administrator has stored, as a plan and as an issuer of id tokens. Their addresses came
// through the API, so only public ones are contacted.
import * as oidc from "openid-client";
import { refuse } from "../../errors.ts";
import type { AuthParts } from "../../parts.ts";
import type { TrustedIssuer } from "../trusted-issuer.ts";
import type { Claims, ProvidedUser } from "../provided-user.ts";
import type { ProviderPlan } from "../providers/provider.ts";
import { genericUser } from "../providers/shapes.ts";
import { type CustomProviderRow, findCustomProvider } from "./queries.ts";

export const isCustom = (name: string) => name.startsWith("custom:");

async function enabled(parts: AuthParts, name: string): Promise<CustomProviderRow> {
  const unsupported = (why: string) => refuse("validation_failed", `Unsupported provider: ${why}`);
  if (!parts.settings.CUSTOM_OAUTH_ENABLED) throw unsupported("custom OAuth providers are disabled");
  const row = await findCustomProvider(parts.database, name);
  if (!row) throw unsupported(`custom provider ${name} not found`);
  if (!row.enabled) throw unsupported(`custom provider ${name} is disabled`);
  return row;
}

/** Refuses an unknown or disabled provider with validation_failed, in GoTrue's words. */
export async function customPlan(parts: AuthParts, name: string): Promise<ProviderPlan> {
  const row = await enabled(parts, name);
  const secret = parts.atRest.open(row.client_secret, row.id);
  if (secret === undefined) throw new Error(`the client secret of ${name} cannot be opened`);
  const isOidc = row.provider_type === "oidc";
  return {
    name,
    clientId: row.client_id,
    clientAuth: oidc.ClientSecretPost(secret),
    scopes: row.scopes,
    idToken: isOidc,
    pkce: row.pkce_enabled,
    emailOptional: row.email_optional,
    parameters: row.authorization_params,
    server: isOidc
      ? { issuer: row.discovery_url ?? row.issuer! }
      : {
          issuer: new URL(row.authorization_url!).origin,
          authorization_endpoint: row.authorization_url!,
          token_endpoint: row.token_url!,
        },
    reach: parts.reachProvided,
    describe: async ({ tokens, read }) =>
      mappedUser(row, isOidc ? tokens.claims()! : await read(row.userinfo_url!)),
  };
}

/** As above, for an id token that an app brings. */
export async function customIdTokens(parts: AuthParts, name: string): Promise<TrustedIssuer> {
  const row = await enabled(parts, name);
  if (row.issuer === null) throw refuse("validation_failed", `Custom OIDC provider "${name}" not allowed`);
  return {
    provider: name,
    issuer: row.issuer,
    metadata: row.discovery_url ?? undefined,
    audiences: [row.client_id, ...row.acceptable_client_ids],
    skipNonce: row.skip_nonce_check,
    emailOptional: row.email_optional,
    reach: parts.reachProvided,
    describe: (claims) => mappedUser(row, claims),
  };
}

/** A string names the provider's claim, any other value is used as it is. */
function mappedUser(
  { attribute_mapping: mapping, custom_claims_allowlist: allowed }: Mapping,
  claims: Claims,
): ProvidedUser {
  const mapped: Record<string, unknown> = { ...claims };
  for (const [target, source] of Object.entries(mapping)) {
    if (typeof source !== "string") mapped[target] = source;
    else if (Object.hasOwn(claims, source)) mapped[target] = claims[source];
  }
  // Plain OAuth servers use numeric ids.
  if (typeof mapped.sub === "number") mapped.sub = String(mapped.sub);
  const user = genericUser(mapped);
  const custom = allowed.filter((name) => Object.hasOwn(claims, name)).map((name) => [name, claims[name]]);
  return { ...user, claims: { ...user.claims, custom_claims: Object.fromEntries(custom) } };
}

type Mapping = Pick<CustomProviderRow, "attribute_mapping" | "custom_claims_allowlist">;
