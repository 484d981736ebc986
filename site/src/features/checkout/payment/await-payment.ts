import type { PaymentProvider, PaymentState } from "./payment-provider.ts";

const EVERY_MS = 1500;
const FOR_MS = 90_000;

/** Asks the provider until a payment under way is decided, or for a minute and a half. */
export async function awaitPayment(
  retrieve: PaymentProvider["retrieve"],
  clientSecret: string,
): Promise<PaymentState> {
  const until = Date.now() + FOR_MS;
  for (;;) {
    // A question that gets no answer is asked again: the payment goes on without us.
    const state = await retrieve(clientSecret).catch((): PaymentState => ({ status: "processing" }));
    if (state.status !== "processing" || Date.now() >= until) return state;
    await new Promise((done) => setTimeout(done, EVERY_MS));
  }
}
