// The OAuth providers GoTrue knows, and the settings each of them has: GOTRUE_EXTERNAL_<NAME>_ENABLED and so on.
import { z } from "zod";
import { flag, list, text } from "./values.ts";

/** In the order /settings lists them. */
export const PROVIDERS = [
  "apple",
  "azure",
  "bitbucket",
  "discord",
  "facebook",
  "figma",
  "fly",
  "github",
  "gitlab",
  "google",
  "keycloak",
  "kakao",
  "linkedin",
  "linkedin_oidc",
  "notion",
  "spotify",
  "slack",
  "slack_oidc",
  "workos",
  "twitch",
  "twitter",
  "x",
  "snapchat",
  "zoom",
] as const;
export type ProviderName = (typeof PROVIDERS)[number];

const provider = z.object({
  ENABLED: flag(false),
  /** The first one is sent; an id token may be for any of them. */
  CLIENT_ID: list,
  SECRET: text(),
  /** Where the provider redirects people back to; `<API>/auth/v1/callback` when empty. */
  REDIRECT_URI: text(),
  /** The issuer, for a provider with several or without a fixed one. */
  URL: text(),
  API_URL: text(),
  SKIP_NONCE_CHECK: flag(false),
  EMAIL_OPTIONAL: flag(false),
});
export type ProviderSettings = z.output<typeof provider>;

const MEMBERS = Object.keys(provider.shape);
export const providerPrefix = (name: ProviderName) => `EXTERNAL_${name.toUpperCase()}_`;

/** The names, without GOTRUE_, that a provider's settings may have. */
export const providerVariables = (name: ProviderName) =>
  MEMBERS.map((member) => `${providerPrefix(name)}${member}`);

/** Reads one provider out of variables without their GOTRUE_. */
export function readProvider(name: ProviderName, variables: Readonly<Record<string, string>>) {
  const prefix = providerPrefix(name);
  const own = MEMBERS.flatMap((member) => {
    const value = variables[`${prefix}${member}`];
    return value === undefined ? [] : [[member, value]];
  });
  return provider.safeParse(Object.fromEntries(own));
}
