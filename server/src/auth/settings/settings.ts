// Everything an operator may configure about signing in: GoTrue's settings under GoTrue's names, each GOTRUE_<NAME> in the
// environment. docs/AUTH.md lists what they do; a test keeps it in sync with this file. Where a default differs from
// GoTrue's, that page says so.
import { z } from "zod";
import { StartError } from "../../platform/start-error.ts";
import { toExpression } from "../http/redirects.ts";
import {
  PROVIDERS,
  providerPrefix,
  type ProviderName,
  type ProviderSettings,
  providerVariables,
  readProvider,
} from "./providers.ts";
import { providerProblems } from "./offered.ts";
import { choice, count, duration, flag, list, optionalDuration, type Rate, rate, text } from "./values.ts";

const HOUR = 3600;
const FIVE_MINUTES = 300;

const schema = z.object({
  DISABLE_SIGNUP: flag(false),
  EXTERNAL_EMAIL_ENABLED: flag(true),
  EXTERNAL_EMAIL_MAGIC_LINK_ENABLED: flag(true),
  EXTERNAL_PHONE_ENABLED: flag(false),
  EXTERNAL_ANONYMOUS_USERS_ENABLED: flag(false),
  EXTERNAL_FLOW_STATE_EXPIRY_DURATION: duration(FIVE_MINUTES),
  EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS: list,
  EXTERNAL_IOS_BUNDLE_ID: text(),
  CUSTOM_OAUTH_ENABLED: flag(true),
  URI_ALLOW_LIST: list,

  MAILER_AUTOCONFIRM: flag(false),
  MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS: flag(false),
  MAILER_SECURE_EMAIL_CHANGE_ENABLED: flag(true),
  MAILER_OTP_EXP: count(HOUR),
  MAILER_OTP_LENGTH: count(6, 6, 10),
  SMTP_MAX_FREQUENCY: duration(60),
  // GoTrue sends none of these by default, but the owner of an account should know.
  MAILER_NOTIFICATIONS_PASSWORD_CHANGED_ENABLED: flag(true),
  MAILER_NOTIFICATIONS_EMAIL_CHANGED_ENABLED: flag(true),
  MAILER_NOTIFICATIONS_PHONE_CHANGED_ENABLED: flag(true),
  MAILER_NOTIFICATIONS_IDENTITY_LINKED_ENABLED: flag(true),
  MAILER_NOTIFICATIONS_IDENTITY_UNLINKED_ENABLED: flag(true),
  MAILER_NOTIFICATIONS_MFA_FACTOR_ENROLLED_ENABLED: flag(true),
  MAILER_NOTIFICATIONS_MFA_FACTOR_UNENROLLED_ENABLED: flag(true),
  MAILER_NOTIFICATIONS_MFA_RECOVERY_CODE_USED_ENABLED: flag(true),
  MAILER_NOTIFICATIONS_PASSKEY_CREATED_ENABLED: flag(true),
  MAILER_NOTIFICATIONS_PASSKEY_DELETED_ENABLED: flag(true),

  SMS_AUTOCONFIRM: flag(false),
  SMS_PROVIDER: choice("", "twilio"),
  SMS_MAX_FREQUENCY: duration(60),
  SMS_OTP_EXP: count(60),
  SMS_OTP_LENGTH: count(6, 6, 10),
  SMS_TEMPLATE: text("Your code is {{ .Code }}"),
  SMS_TWILIO_ACCOUNT_SID: text(),
  SMS_TWILIO_AUTH_TOKEN: text(),
  SMS_TWILIO_MESSAGE_SERVICE_SID: text(),
  SMS_TWILIO_CONTENT_SID: text(),

  PASSWORD_MIN_LENGTH: count(8, 6, 72),
  /** Sets of characters separated by `:`; a password needs one character of each. `\:` is a colon. */
  PASSWORD_REQUIRED_CHARACTERS: text(),
  PASSWORD_HIBP_ENABLED: flag(true),

  JWT_EXP: count(HOUR, 1, 604_800),
  JWT_ISSUER: text(),
  JWT_AUD: text("authenticated"),
  /** Read at the start with the other keys (access-keys.ts). */
  JWT_KEYS: text(),
  JWT_DEFAULT_GROUP_NAME: text("authenticated"),
  JWT_ADMIN_ROLES: list.transform((roles) => (roles.length > 0 ? roles : ["service_role", "supabase_admin"])),

  SESSIONS_TIMEBOX: duration(90 * 24 * HOUR),
  SESSIONS_INACTIVITY_TIMEOUT: duration(14 * 24 * HOUR),
  SESSIONS_ALLOW_LOW_AAL: optionalDuration,
  SESSIONS_SINGLE_PER_USER: flag(false),

  SECURITY_MANUAL_LINKING_ENABLED: flag(false),
  SECURITY_REFRESH_TOKEN_ROTATION_ENABLED: flag(true),
  SECURITY_REFRESH_TOKEN_REUSE_INTERVAL: count(10, 0),
  SECURITY_REFRESH_TOKEN_ALLOW_REUSE: flag(false),
  SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION: flag(true),
  SECURITY_CAPTCHA_ENABLED: flag(false),
  SECURITY_CAPTCHA_PROVIDER: choice("hcaptcha", "turnstile"),
  SECURITY_CAPTCHA_SECRET: text(),
  /** Not GoTrue's: the public key that our own pages need for the captcha widget. */
  SECURITY_CAPTCHA_SITE_KEY: text(),

  MFA_TOTP_ENROLL_ENABLED: flag(true),
  MFA_TOTP_VERIFY_ENABLED: flag(true),
  MFA_PHONE_ENROLL_ENABLED: flag(false),
  MFA_PHONE_VERIFY_ENABLED: flag(false),
  MFA_PHONE_OTP_LENGTH: count(6, 6, 10),
  MFA_PHONE_TEMPLATE: text("Your code is {{ .Code }}"),
  MFA_PHONE_MAX_FREQUENCY: duration(60),
  MFA_WEB_AUTHN_ENROLL_ENABLED: flag(false),
  MFA_WEB_AUTHN_VERIFY_ENABLED: flag(false),
  MFA_RECOVERY_CODES_ENROLL_ENABLED: flag(true),
  MFA_RECOVERY_CODES_VERIFY_ENABLED: flag(true),
  MFA_RECOVERY_CODES_COUNT: count(10, 4, 16),
  MFA_RECOVERY_CODES_CODE_LENGTH: count(16, 13, 32),
  MFA_RECOVERY_CODES_MAX_VERIFY_ATTEMPTS: count(5, 3, 15),
  MFA_RECOVERY_CODES_LOCKOUT_DURATION: duration(900),
  MFA_MAX_ENROLLED_FACTORS: count(10),
  MFA_MAX_VERIFIED_FACTORS: count(10),
  MFA_CHALLENGE_EXPIRY_DURATION: count(FIVE_MINUTES, FIVE_MINUTES),
  MFA_FACTOR_EXPIRY_DURATION: duration(FIVE_MINUTES),
  PASSKEY_ENABLED: flag(true),
  PASSKEY_MAX_PASSKEYS_PER_USER: count(10),
  WEBAUTHN_RP_ID: text(),
  WEBAUTHN_RP_DISPLAY_NAME: text(),
  WEBAUTHN_RP_ORIGINS: list,
  WEBAUTHN_CHALLENGE_EXPIRY_DURATION: duration(FIVE_MINUTES),

  SAML_ENABLED: flag(false),
  SAML_PRIVATE_KEY: text(),
  SAML_ALLOW_ENCRYPTED_ASSERTIONS: flag(false),
  SAML_RELAY_STATE_VALIDITY_PERIOD: duration(120),
  SAML_EXTERNAL_URL: text(),

  RATE_LIMIT_EMAIL_SENT: rate(HOUR),
  RATE_LIMIT_SMS_SENT: rate(HOUR),
  RATE_LIMIT_VERIFY: rate(FIVE_MINUTES),
  RATE_LIMIT_TOKEN_REFRESH: rate(FIVE_MINUTES),
  RATE_LIMIT_OTP: rate(FIVE_MINUTES),
  RATE_LIMIT_USER: rate(FIVE_MINUTES),
  RATE_LIMIT_ANONYMOUS_USERS: rate(HOUR),
  MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY: rate(60),
});

type Own = Readonly<z.output<typeof schema>>;

export interface AuthSettings extends Own {
  readonly providers: Readonly<Record<ProviderName, ProviderSettings>>;
}

/** Every name that is read, without the GOTRUE_ prefix. */
export const SETTING_NAMES: readonly string[] = [
  ...Object.keys(schema.shape),
  ...PROVIDERS.flatMap(providerVariables),
];

/**
 * Reads the GOTRUE_ variables and ignores others. An empty one counts as unset.
 * @throws StartError with one line for each invalid variable.
 */
export function parseSettings(variables: Readonly<Record<string, string | undefined>>): AuthSettings {
  const given = Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      name.startsWith("GOTRUE_") && value ? [[name.slice("GOTRUE_".length), value]] : [],
    ),
  );
  const problems: string[] = [];
  const complain = (prefix: string, error: z.ZodError) => {
    for (const issue of error.issues)
      problems.push(`GOTRUE_${prefix}${issue.path.join("_")}: ${issue.message}`);
  };
  const parsed = schema.safeParse(given);
  if (!parsed.success) complain("", parsed.error);
  const providers = PROVIDERS.map((name) => {
    const read = readProvider(name, given);
    if (!read.success) complain(providerPrefix(name), read.error);
    return [name, read.data] as const;
  });
  if (!parsed.success || problems.length > 0) throw new StartError(problems.join("\n"));
  const settings = { ...parsed.data, providers: Object.fromEntries(providers) } as AuthSettings;
  problems.push(...contradictions(settings));
  if (problems.length > 0) throw new StartError(problems.join("\n"));
  return settings;
}

/** Settings that are valid each on their own but not together. */
function contradictions(settings: AuthSettings): string[] {
  const needs = (name: keyof Own, when: boolean) =>
    when && !settings[name] ? [`GOTRUE_${name}: must be set`] : [];
  return [
    ...needs("SECURITY_CAPTCHA_SECRET", settings.SECURITY_CAPTCHA_ENABLED),
    ...needs("SECURITY_CAPTCHA_SITE_KEY", settings.SECURITY_CAPTCHA_ENABLED),
    ...needs("SAML_PRIVATE_KEY", settings.SAML_ENABLED),
    ...(["ACCOUNT_SID", "AUTH_TOKEN", "MESSAGE_SERVICE_SID"] as const).flatMap((part) =>
      needs(`SMS_TWILIO_${part}`, settings.SMS_PROVIDER === "twilio"),
    ),
    ...settings.URI_ALLOW_LIST.flatMap(patternProblems),
    ...providerProblems(settings.providers),
  ];
}

function patternProblems(pattern: string): string[] {
  try {
    toExpression(pattern);
    return [];
  } catch {
    return [`GOTRUE_URI_ALLOW_LIST: ${pattern} is not a valid pattern`];
  }
}

/** Requests of one address in five minutes; `defaults` where nothing is configured. */
export function addressLimits<
  Limits extends Readonly<Record<"token" | "verify" | "mail" | "user" | "factor", number>>,
>(settings: AuthSettings, defaults: Limits): Limits {
  const inFiveMinutes = (limit: Rate | undefined, fallback: number) =>
    limit ? (limit.events * FIVE_MINUTES) / limit.seconds : fallback;
  return {
    ...defaults,
    token: inFiveMinutes(settings.RATE_LIMIT_TOKEN_REFRESH, defaults.token),
    verify: inFiveMinutes(settings.RATE_LIMIT_VERIFY, defaults.verify),
    mail: inFiveMinutes(settings.RATE_LIMIT_OTP, defaults.mail),
    user: inFiveMinutes(settings.RATE_LIMIT_USER, defaults.user),
    factor: inFiveMinutes(settings.MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY, defaults.factor),
  };
}
