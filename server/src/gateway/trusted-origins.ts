// Whose scripts, styles and frames a page may use beside its own, and whom it may ask: each only where it is in use.

export type TrustedOrigins = Readonly<Record<"script" | "style" | "connect" | "frame", readonly string[]>>;

const STRIPE = ["https://js.stripe.com", "https://api.stripe.com", "https://hooks.stripe.com"];
const HCAPTCHA = ["https://hcaptcha.com", "https://*.hcaptcha.com"];
const TURNSTILE = ["https://challenges.cloudflare.com"];

/** `captcha`: whose widget the sign-in forms show. Each maker's documentation names what it needs. */
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
