// The origins other than its own whose scripts, styles and frames a page may use, and which it may contact. Each is listed
// only while it is in use.

export type TrustedOrigins = Readonly<Record<"script" | "style" | "connect" | "frame", readonly string[]>>;

const STRIPE = ["https://js.stripe.com", "https://api.stripe.com", "https://hooks.stripe.com"];
const HCAPTCHA = ["https://hcaptcha.com", "https://*.hcaptcha.com"];
const TURNSTILE = ["https://challenges.cloudflare.com"];

/** `captcha`: the provider whose widget the sign-in forms show. Each provider documents the origins it needs. */
export function trustedOrigins(uses: {
  readonly stripe?: boolean;
  readonly captcha?: "hcaptcha" | "turnstile" | undefined;
}): TrustedOrigins {
  const stripe = uses.stripe ? STRIPE : [];
  const hcaptcha = uses.captcha === "hcaptcha" ? HCAPTCHA : [];
  const turnstile = uses.captcha === "turnstile" ? TURNSTILE : [];
  return {
    script: [...stripe, ...hcaptcha, ...turnstile],
    style: hcaptcha,
    connect: [...stripe, ...hcaptcha],
    frame: [...stripe, ...hcaptcha, ...turnstile],
  };
}
