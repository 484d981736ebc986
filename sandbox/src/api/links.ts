// Addresses of the sandbox's hosted pages.
import type { PaymentIntent } from "../store/objects.ts";

export interface Links {
  challenge(intent: Pick<PaymentIntent, "id" | "client_secret">, returnUrl?: string): string;
}

/** `origin` without a trailing slash. */
export function linksAt(origin: string): Links {
  return {
    challenge({ id, client_secret }, returnUrl) {
      const query = new URLSearchParams({ client_secret });
      if (returnUrl !== undefined) query.set("return_url", returnUrl);
      return `${origin}/payments-sandbox/challenge/${id}?${query.toString()}`;
    },
  };
}

/** The return address of a redirect, with Stripe's parameters. */
export function returnTo(returnUrl: string, intent: PaymentIntent): string {
  const url = new URL(returnUrl);
  url.searchParams.set("payment_intent", intent.id);
  url.searchParams.set("payment_intent_client_secret", intent.client_secret);
  const failed = intent.status === "requires_payment_method" || intent.status === "canceled";
  url.searchParams.set("redirect_status", failed ? "failed" : "succeeded");
  return url.href;
}
