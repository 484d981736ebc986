// Loads the provider named by the server's configuration. Stripe's script is fetched only when Stripe takes the payment.
import { paymentConfig } from "../queries.ts";
import type { PaymentProvider } from "./payment-provider.ts";

/** @throws Error when payments are not configured, or the provider's script cannot be fetched */
export async function loadPaymentProvider(): Promise<PaymentProvider> {
  const { publishableKey, sandbox } = await paymentConfig();
  if (sandbox) {
    const { createSandboxProvider } = await import("./sandbox/sandbox-provider.tsx");
    return createSandboxProvider(publishableKey);
  }
  const { createStripeProvider } = await import("./stripe-provider.tsx");
  return createStripeProvider(publishableKey);
}
