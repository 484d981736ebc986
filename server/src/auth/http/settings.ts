// What this server tells anybody about itself: which ways of signing in it offers.

const PROVIDERS_OFF = [
  ...[
    "anonymous_users",
    "apple",
    "azure",
    "bitbucket",
    "discord",
    "facebook",
    "figma",
    "fly",
    "github",
    "gitlab",
  ],
  ...["google", "kakao", "keycloak", "linkedin", "linkedin_oidc", "notion", "phone", "slack", "slack_oidc"],
  ...["snapchat", "spotify", "twitch", "twitter", "workos", "x", "zoom"],
];

export const settings = {
  external: { ...Object.fromEntries(PROVIDERS_OFF.map((name) => [name, false])), email: true },
  disable_signup: false,
  mailer_autoconfirm: false,
  phone_autoconfirm: false,
  sms_provider: "",
  saml_enabled: false,
};

/** The version is that of the API this service follows. */
export const health = {
  version: "v2.180.0",
  name: "GoTrue",
  description: "GoTrue is a user registration and authentication API",
};
