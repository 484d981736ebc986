// The providers that this server supports, out of those that GoTrue knows, and what their settings need.
import { z } from "zod";
import { type ProviderName, providerPrefix, type ProviderSettings } from "./providers.ts";

/** Any other issuer comes as `keycloak`, or as a custom provider (docs/OPERATING.md). */
const OFFERED = [
  "apple",
  "azure",
  "discord",
  "facebook",
  "github",
  "gitlab",
  "google",
  "keycloak",
  "linkedin_oidc",
  "slack_oidc",
] as const satisfies readonly ProviderName[];
export type Offered = (typeof OFFERED)[number];

export const isOffered = (name: string): name is Offered => (OFFERED as readonly string[]).includes(name);

/** Microsoft's addresses that accept accounts of any tenant have no issuer. */
const TENANT = /^https?:\/\/[^/]+\/(?!(?:common|organizations|consumers)\/?$)[^/]+\/?$/;

/** The problems of the enabled providers, one line each. */
export function providerProblems(providers: Readonly<Record<ProviderName, ProviderSettings>>): string[] {
  return (Object.keys(providers) as ProviderName[]).flatMap((name) => {
    const own = providers[name];
    if (!own.ENABLED) return [];
    const problem = (member: keyof ProviderSettings, what: string) =>
      `GOTRUE_${providerPrefix(name)}${member}: ${what}`;
    if (!isOffered(name)) return [problem("ENABLED", `this server signs in through ${OFFERED.join(", ")}`)];
    return [
      ...(own.CLIENT_ID.length === 0 ? [problem("CLIENT_ID", "must be set")] : []),
      ...(own.SECRET === "" ? [problem("SECRET", "must be set")] : []),
      ...(name === "keycloak" && own.URL === "" ? [problem("URL", "must be set, to the issuer")] : []),
      ...(name === "azure" && !TENANT.test(own.URL)
        ? [problem("URL", "must be set, to the tenant: https://login.microsoftonline.com/<tenant id>")]
        : []),
      ...(["URL", "API_URL", "REDIRECT_URI"] as const)
        .filter((member) => own[member] !== "" && !/^https?:\/\/[^/]/.test(own[member]))
        .map((member) => problem(member, "must be an http or https address")),
      ...(name === "apple" && own.SECRET.startsWith("{") && !appleKeyIn(own.SECRET)
        ? [problem("SECRET", "must be a token, or JSON with team_id, key_id and private_key")]
        : []),
    ];
  });
}

const appleKey = z.object({ team_id: z.string(), key_id: z.string(), private_key: z.string() });

/** Apple's key, where the secret is the key itself instead of a token made from it. */
export function appleKeyIn(secret: string): z.output<typeof appleKey> | undefined {
  if (!secret.startsWith("{")) return undefined;
  try {
    return appleKey.parse(JSON.parse(secret));
  } catch {
    return undefined;
  }
}
