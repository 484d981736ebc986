// Stripe's browser API as the payments sandbox implements it: retrieve and confirm with the publishable key and the
// client secret. Hides the form encoding and the two shapes of an error.
import { z } from "zod";
import { supabaseAddress } from "#lib/api/env.ts";
import { fetchInTime } from "#lib/api/time-limit.ts";
import { intentId } from "../payment-provider.ts";

const sandboxIntent = z.object({
  status: z.enum([
    "requires_payment_method",
    "requires_confirmation",
    "requires_action",
    "processing",
    "succeeded",
    "canceled",
  ]),
  last_payment_error: z.object({ message: z.string().optional() }).nullable(),
  next_action: z.object({ use_stripe_sdk: z.object({ stripe_js: z.string() }).optional() }).nullable(),
});
export type SandboxIntent = z.infer<typeof sandboxIntent>;

const sandboxError = z.object({
  error: z.object({
    type: z.string(),
    message: z.string().optional(),
    payment_intent: sandboxIntent.optional(),
  }),
});

export type SandboxMethod =
  | { kind: "card"; number: string; month: string; year: string; cvc: string }
  | { kind: "apple_pay" | "google_pay" };

/** The provider refused, with a message for the buyer. */
export class SandboxRefusal extends Error {}

export interface SandboxApi {
  retrieve: (clientSecret: string) => Promise<SandboxIntent>;
  /** @throws SandboxRefusal for a declined or malformed card */
  confirm: (
    clientSecret: string,
    method: SandboxMethod,
    billing: { name: string; email: string; phone: string },
  ) => Promise<SandboxIntent>;
}

export function createSandboxApi(publishableKey: string): SandboxApi {
  const address = (clientSecret: string) =>
    `${supabaseAddress().url}/v1/payment_intents/${intentId(clientSecret)}`;
  return {
    async retrieve(clientSecret) {
      const query = new URLSearchParams({ key: publishableKey, client_secret: clientSecret });
      return intentIn(await fetchInTime(`${address(clientSecret)}?${query}`));
    },
    async confirm(clientSecret, method, billing) {
      const form = new URLSearchParams({
        key: publishableKey,
        client_secret: clientSecret,
        // The buyer answers a challenge in a dialog on this page, as with Stripe's own script.
        use_stripe_sdk: "true",
        "payment_method_data[type]": "card",
        ...cardFields(method),
      });
      for (const [name, value] of Object.entries(billing)) {
        form.set(`payment_method_data[billing_details][${name}]`, value);
      }
      return intentIn(await fetchInTime(`${address(clientSecret)}/confirm`, { method: "POST", body: form }));
    },
  };
}

function cardFields(method: SandboxMethod): Record<string, string> {
  if (method.kind !== "card") return { "payment_method_data[card][wallet][type]": method.kind };
  return {
    "payment_method_data[card][number]": method.number,
    "payment_method_data[card][exp_month]": method.month,
    "payment_method_data[card][exp_year]": method.year,
    "payment_method_data[card][cvc]": method.cvc,
  };
}

async function intentIn(response: Response): Promise<SandboxIntent> {
  const answer: unknown = await response.json();
  if (response.ok) return sandboxIntent.parse(answer);
  // A gateway's own page is no error of Stripe's shape.
  const error = sandboxError.safeParse(answer).data?.error;
  // Confirming a paid intent is refused with that intent, which is not a failure for the buyer.
  const carried = error?.payment_intent;
  if (carried?.status === "succeeded" || carried?.status === "processing") return carried;
  if (error?.type === "card_error") throw new SandboxRefusal(error.message || "Your card was declined.");
  throw new Error(error?.message ?? `The payments sandbox answered ${response.status}`);
}
