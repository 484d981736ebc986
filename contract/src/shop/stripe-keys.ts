// What keeps one Stripe key from being used as another: a secret key in the publishable key's place would be sent to every visitor.
export interface StripeKeys {
  readonly secretKey: string;
  readonly publishableKey: string;
  readonly webhookSecret: string;
}

const SHAPES = [
  ["secretKey", "STRIPE_SECRET_KEY", /^[sr]k_(test|live)_./, "sk_live_… or rk_live_…"],
  ["publishableKey", "STRIPE_PUBLISHABLE_KEY", /^pk_(test|live)_./, "pk_live_…"],
  ["webhookSecret", "STRIPE_WEBHOOK_SECRET", /^whsec_./, "whsec_…"],
] as const;

/** One line for each given key that is none of its kind, or for keys of two modes. Repeats no key. */
export function stripeKeyProblems(keys: {
  readonly [Key in keyof StripeKeys]: StripeKeys[Key] | undefined;
}): string[] {
  const wrong = SHAPES.flatMap(([key, name, shape, example]) => {
    const text = keys[key];
    return text === undefined || shape.test(text)
      ? []
      : [`${name}: must be like ${example} (or test in place of live)`];
  });
  if (wrong.length > 0) return wrong;
  const [secret, publishable] = [keys.secretKey, keys.publishableKey].map((key) => key?.split("_")[1]);
  return secret === undefined || publishable === undefined || secret === publishable
    ? []
    : [`STRIPE_PUBLISHABLE_KEY: is a ${publishable} key, and STRIPE_SECRET_KEY a ${secret} key`];
}
