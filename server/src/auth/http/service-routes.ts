// What the service publishes about itself.
import { listCustomProviders } from "../federation/custom/queries.ts";
import type { AuthParts } from "../parts.ts";
import { PROVIDERS } from "../settings/providers.ts";
import type { AuthSettings } from "../settings/settings.ts";
import type { Subject } from "./subject.ts";

export const serviceRoutes: Subject = (app, parts) => {
  app.get("/health", (c) => c.json(health));
  app.get("/.well-known/jwks.json", (c) => {
    c.header("cache-control", KEPT);
    return c.json({ keys: parts.tokens.published });
  });
  app.get("/.well-known/openid-configuration", (c) => {
    c.header("cache-control", KEPT);
    return c.json(discovery(parts.settings.JWT_ISSUER || `${c.env.apiUrl}/auth/v1`, c.env.apiUrl));
  });
  app.get("/settings", async (c) => c.json({ ...settingsView(parts.settings), site: await siteView(parts) }));
};

/** GoTrue's value: a client finds a new key within ten minutes, or immediately by its kid. */
const KEPT = "public, max-age=600";

/** All that is needed to verify our tokens; this server is not an OAuth server. */
const discovery = (issuer: string, apiUrl: string) => ({
  issuer,
  jwks_uri: `${apiUrl}/auth/v1/.well-known/jwks.json`,
  authorization_endpoint: `${apiUrl}/auth/v1/oauth/authorize`,
  token_endpoint: `${apiUrl}/auth/v1/oauth/token`,
  userinfo_endpoint: `${apiUrl}/auth/v1/user`,
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256", "HS256", "ES256"],
  scopes_supported: ["openid", "profile", "email", "phone"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
  claims_supported: [
    ...["sub", "aud", "iss", "exp", "iat", "auth_time", "nonce", "email", "email_verified", "phone_number"],
    ...["phone_number_verified", "name", "picture", "preferred_username", "updated_at"],
  ],
  code_challenge_methods_supported: ["S256", "plain"],
});

/** The enabled sign-in methods, in GoTrue's format. */
const settingsView = (settings: AuthSettings) => ({
  external: {
    anonymous_users: settings.EXTERNAL_ANONYMOUS_USERS_ENABLED,
    ...Object.fromEntries(PROVIDERS.map((name) => [name, settings.providers[name].ENABLED])),
    email: settings.EXTERNAL_EMAIL_ENABLED,
    phone: settings.EXTERNAL_PHONE_ENABLED,
  },
  disable_signup: settings.DISABLE_SIGNUP,
  mailer_autoconfirm: settings.MAILER_AUTOCONFIRM,
  phone_autoconfirm: settings.SMS_AUTOCONFIRM,
  sms_provider: settings.SMS_PROVIDER,
  saml_enabled: settings.SAML_ENABLED,
  passkeys_enabled: settings.PASSKEY_ENABLED,
});

/** In addition to GoTrue's: what our own pages need to offer every enabled method. */
async function siteView(parts: AuthParts) {
  const { settings, database } = parts;
  const custom = settings.CUSTOM_OAUTH_ENABLED ? await listCustomProviders(database) : [];
  return {
    captcha: settings.SECURITY_CAPTCHA_ENABLED
      ? { provider: settings.SECURITY_CAPTCHA_PROVIDER, site_key: settings.SECURITY_CAPTCHA_SITE_KEY }
      : null,
    custom_providers: custom.flatMap(({ enabled, identifier, name }) =>
      enabled ? [{ identifier, name }] : [],
    ),
    manual_linking: settings.SECURITY_MANUAL_LINKING_ENABLED,
    second_steps: secondSteps(parts),
    secure_email_change: settings.MAILER_SECURE_EMAIL_CHANGE_ENABLED,
  };
}

/** Factors that can be set up and then verified; phones only where texts can be sent. */
const secondSteps = ({ settings, sendSms }: AuthParts) =>
  Object.entries({
    totp: settings.MFA_TOTP_ENROLL_ENABLED && settings.MFA_TOTP_VERIFY_ENABLED,
    phone: settings.MFA_PHONE_ENROLL_ENABLED && settings.MFA_PHONE_VERIFY_ENABLED && sendSms !== undefined,
    webauthn: settings.MFA_WEB_AUTHN_ENROLL_ENABLED && settings.MFA_WEB_AUTHN_VERIFY_ENABLED,
    recovery_code: settings.MFA_RECOVERY_CODES_ENROLL_ENABLED && settings.MFA_RECOVERY_CODES_VERIFY_ENABLED,
  }).flatMap(([kind, isOn]) => (isOn ? [kind] : []));

/** The version of the GoTrue API that this service follows. */
const health = {
  version: "v2.180.0",
  name: "GoTrue",
  description: "GoTrue is a user registration and authentication API",
};
