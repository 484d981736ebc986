import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseSettings, SETTING_NAMES } from "./settings.ts";

it("default to the festival's values, and an empty variable counts as unset", () => {
  const settings = parseSettings({ GOTRUE_JWT_EXP: "", PASSWORD_MIN_LENGTH: "20", GOTRUE_UNKNOWN: "x" });
  expect(settings).toEqual(parseSettings({}));
  expect(settings).toMatchObject({
    DISABLE_SIGNUP: false,
    EXTERNAL_EMAIL_ENABLED: true,
    EXTERNAL_ANONYMOUS_USERS_ENABLED: false,
    PASSWORD_MIN_LENGTH: 8,
    JWT_EXP: 3600,
    JWT_ADMIN_ROLES: ["service_role", "supabase_admin"],
    SESSIONS_TIMEBOX: 90 * 24 * 3600,
  });
});

it("are parsed as GoTrue parses them", () => {
  const settings = parseSettings({
    GOTRUE_DISABLE_SIGNUP: "TRUE",
    GOTRUE_EXTERNAL_PHONE_ENABLED: "1",
    GOTRUE_SESSIONS_TIMEBOX: "1h30m",
    GOTRUE_SESSIONS_INACTIVITY_TIMEOUT: "0",
    GOTRUE_URI_ALLOW_LIST: "https://a.example/**, ,app://open",
    GOTRUE_RATE_LIMIT_OTP: "30/10m",
    GOTRUE_RATE_LIMIT_VERIFY: "60",
    GOTRUE_EXTERNAL_GOOGLE_ENABLED: "t",
    GOTRUE_EXTERNAL_GOOGLE_CLIENT_ID: "web,android",
    GOTRUE_EXTERNAL_GOOGLE_SECRET: "secret",
  });
  expect(settings).toMatchObject({
    DISABLE_SIGNUP: true,
    EXTERNAL_PHONE_ENABLED: true,
    SESSIONS_TIMEBOX: 5400,
    SESSIONS_INACTIVITY_TIMEOUT: 0,
    URI_ALLOW_LIST: ["https://a.example/**", "app://open"],
    RATE_LIMIT_OTP: { events: 30, seconds: 600 },
    RATE_LIMIT_VERIFY: { events: 60, seconds: 300 },
  });
  expect(settings.providers.google).toMatchObject({ ENABLED: true, CLIENT_ID: ["web", "android"] });
  expect(settings.providers.github.ENABLED).toBe(false);
});

it.each([
  ["GOTRUE_DISABLE_SIGNUP", "yes"],
  ["GOTRUE_PASSWORD_MIN_LENGTH", "5"],
  ["GOTRUE_PASSWORD_MIN_LENGTH", "73"],
  ["GOTRUE_JWT_EXP", "0"],
  ["GOTRUE_JWT_EXP", "1e3"],
  ["GOTRUE_SESSIONS_TIMEBOX", "30 days"],
  ["GOTRUE_SESSIONS_TIMEBOX", "24"],
  ["GOTRUE_RATE_LIMIT_OTP", "-1"],
  ["GOTRUE_RATE_LIMIT_OTP", "30/"],
  ["GOTRUE_EXTERNAL_APPLE_ENABLED", "on"],
])("refuses %s=%s and names it", (name, value) => {
  expect(() => parseSettings({ [name]: value })).toThrow(new RegExp(`^${name}: must be`));
});

it.each([
  [{ GOTRUE_SECURITY_CAPTCHA_ENABLED: "true" }, "GOTRUE_SECURITY_CAPTCHA_SECRET: must be set"],
  [{ GOTRUE_SECURITY_CAPTCHA_ENABLED: "true" }, "GOTRUE_SECURITY_CAPTCHA_SITE_KEY: must be set"],
  [{ GOTRUE_SAML_ENABLED: "true" }, "GOTRUE_SAML_PRIVATE_KEY: must be set"],
  [{ GOTRUE_SMS_PROVIDER: "twilio" }, "GOTRUE_SMS_TWILIO_ACCOUNT_SID: must be set"],
  [
    { GOTRUE_URI_ALLOW_LIST: "https://a.example/[x" },
    "GOTRUE_URI_ALLOW_LIST: https://a.example/[x is not a valid pattern",
  ],
  [{ GOTRUE_EXTERNAL_GITHUB_ENABLED: "true" }, "GOTRUE_EXTERNAL_GITHUB_CLIENT_ID: must be set"],
])("refuses contradictory settings: %j", (variables, problem) => {
  expect(() => parseSettings(variables as Record<string, string>)).toThrow(problem);
});

it("are all listed in docs/AUTH.md", () => {
  const page = readFileSync(new URL("../../../../docs/AUTH.md", import.meta.url), "utf8");
  const missing = SETTING_NAMES.filter((name) => {
    const general = name.replace(
      /^EXTERNAL_[A-Z_]+?_(?=(?:ENABLED|CLIENT_ID|SECRET|REDIRECT_URI|URL|API_URL|SKIP_NONCE_CHECK|EMAIL_OPTIONAL)$)/,
      "EXTERNAL_<NAME>_",
    );
    return ![name, general].some((one) => page.includes(one));
  });
  expect(missing).toEqual([]);
});
