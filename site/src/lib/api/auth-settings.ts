// The sign-in methods that the server offers, from its settings. On Supabase's platform these lack `site`, which only our own
// server sends, so such a build reads VITE_CAPTCHA to know which captcha to show.
import { useEffect, useState } from "react";
import { z } from "zod";
import type { Provider } from "@supabase/supabase-js";
import { supabaseAddress } from "./env.ts";
import { fetchInTime } from "./time-limit.ts";

const NAMES = {
  google: "Google",
  apple: "Apple",
  facebook: "Facebook",
  azure: "Microsoft",
  github: "GitHub",
  gitlab: "GitLab",
  discord: "Discord",
  linkedin_oidc: "LinkedIn",
  slack_oidc: "Slack",
  keycloak: "Your Organization",
} as const satisfies Partial<Record<Provider, string>>;

const captcha = z.object({ provider: z.enum(["hcaptcha", "turnstile"]), site_key: z.string() });
export type CaptchaSettings = z.output<typeof captcha>;

const settings = z.object({
  external: z.record(z.string(), z.boolean()),
  saml_enabled: z.boolean().default(false),
  passkeys_enabled: z.boolean().default(false),
  site: z
    .object({
      captcha: captcha.nullable(),
      custom_providers: z.array(z.object({ identifier: z.string(), name: z.string() })),
      manual_linking: z.boolean(),
      second_steps: z.array(z.string()),
      secure_email_change: z.boolean(),
    })
    .optional(),
});

export interface SignInProvider {
  readonly id: Provider;
  readonly name: string;
}

interface AuthSettings {
  /** In a fixed order, with providers added by an administrator last. */
  readonly providers: readonly SignInProvider[];
  readonly singleSignOn: boolean;
  readonly captcha: CaptchaSettings | undefined;
  /** Users may link providers to their account and unlink them. */
  readonly manualLinking: boolean;
  readonly passkeys: boolean;
  /** The kinds that users may set up: "totp", "phone", "webauthn", "recovery_code". */
  readonly secondSteps: readonly string[];
  /** A change of address must be confirmed from the old address, too. */
  readonly secureEmailChange: boolean;
}

/** Used when the server does not say: the defaults of Supabase's platform. */
export const USUAL_SECOND_STEPS: readonly string[] = ["totp", "recovery_code"];

let asked: Promise<AuthSettings> | undefined;

/** Read once. Rejects when the server is unreachable: signing in with a password does not depend on it. */
export function authSettings(): Promise<AuthSettings> {
  asked ??= readAuthSettings().catch((error: unknown) => {
    asked = undefined;
    throw error;
  });
  return asked;
}

/** Without the query cache, which the gate does not have. Undefined until they are known. */
export function useAuthSettings(): AuthSettings | undefined {
  const [settings, setSettings] = useState<AuthSettings>();
  useEffect(() => {
    authSettings().then(setSettings, () => {});
  }, []);
  return settings;
}

async function readAuthSettings(): Promise<AuthSettings> {
  const { url, anonKey } = supabaseAddress();
  const answer = await fetchInTime(`${url}/auth/v1/settings`, { headers: { apikey: anonKey } });
  const { external, saml_enabled, passkeys_enabled, site } = settings.parse(await answer.json());
  const ids = Object.keys(NAMES) as (keyof typeof NAMES)[];
  return {
    providers: [
      ...ids.filter((id) => external[id]).map((id) => ({ id, name: NAMES[id] })),
      ...(site?.custom_providers ?? []).map(({ identifier, name }) => ({ id: identifier as Provider, name })),
    ],
    singleSignOn: saml_enabled,
    captcha: site ? (site.captcha ?? undefined) : builtCaptcha(),
    manualLinking: site?.manual_linking ?? false,
    passkeys: passkeys_enabled,
    secondSteps: site?.second_steps ?? USUAL_SECOND_STEPS,
    secureEmailChange: site?.secure_email_change ?? true,
  };
}

/** `VITE_CAPTCHA=turnstile:<site key>` */
function builtCaptcha(): CaptchaSettings | undefined {
  const [provider, site_key] = String(import.meta.env.VITE_CAPTCHA ?? "").split(":");
  return captcha.safeParse({ provider, site_key }).data;
}

/** The display name of an identity's provider. */
export const providerName = (id: string, { providers }: Pick<AuthSettings, "providers">): string =>
  providers.find((provider) => provider.id === id)?.name ?? (id.startsWith("sso:") ? "Single sign-on" : id);
