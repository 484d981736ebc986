import type { PaymentProvider, PaymentState } from "./payment-provider.ts";

const EVERY_MS = 1500;
const FOR_MS = 90_000;

/** Polls the provider until a payment in progress is decided, for at most 90 seconds. */
export async function awaitPayment(
  retrieve: PaymentProvider["retrieve"],
  clientSecret: string,
): Promise<PaymentState> {
  const until = Date.now() + FOR_MS;
  for (;;) {
    // Without a response, poll again: the payment continues without us.
    const state = await retrieve(clientSecret).catch((): PaymentState => ({ status: "processing" }));
    if (state.status !== "processing" || Date.now() >= until) return state;
    await new Promise((done) => setTimeout(done, EVERY_MS));
  }
}
