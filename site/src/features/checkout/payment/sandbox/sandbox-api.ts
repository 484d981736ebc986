// Stripe's browser API as the payments sandbox implements it: retrieve and confirm with the publishable key and the
// client secret. Hides the form encoding and the two shapes of an error.
import { supabaseAddress } from "#lib/api/env.ts";
import { intentId } from "../attempt.ts";

export interface SandboxIntent {
  status:
    | "requires_payment_method"
    | "requires_confirmation"
    | "requires_action"
    | "processing"
    | "succeeded"
    | "canceled";
  last_payment_error: { message?: string } | null;
  next_action: { use_stripe_sdk?: { stripe_js?: string } } | null;
}

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
      return intentIn(await fetch(`${address(clientSecret)}?${query}`));
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
      return intentIn(await fetch(`${address(clientSecret)}/confirm`, { method: "POST", body: form }));
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
  const answer = (await response.json()) as SandboxIntent & {
    error?: { type?: string; message?: string; payment_intent?: SandboxIntent };
  };
  if (response.ok && typeof answer.status === "string") return answer;
  // Confirming a paid intent is refused with that intent, which is not a failure for the buyer.
  const carried = answer.error?.payment_intent;
  if (carried?.status === "succeeded" || carried?.status === "processing") return carried;
  if (answer.error?.type === "card_error")
    throw new SandboxRefusal(answer.error.message || "Your card was declined.");
  throw new Error(answer.error?.message ?? `The payments sandbox answered ${response.status}`);
}
