// What the service tells anybody about itself.
import { PROVIDERS } from "../settings/providers.ts";
import type { AuthSettings } from "../settings/settings.ts";
import type { Subject } from "./subject.ts";

export const serviceRoutes: Subject = (app, parts) => {
  app.get("/health", (c) => c.json(health));
  app.get("/settings", (c) => c.json(settingsView(parts.settings)));
};

/** Which ways of signing in are on, as GoTrue says it. */
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

/** The version is that of the API this service follows. */
const health = {
  version: "v2.180.0",
  name: "GoTrue",
  description: "GoTrue is a user registration and authentication API",
};
