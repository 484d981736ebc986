import type { PaymentProvider, PaymentState } from "./payment-provider.ts";

const EVERY_MS = 1500;
const FOR_MS = 90_000;

/** Polls the provider until a payment under way is decided, for 90 seconds at most. */
export async function awaitPayment(
  retrieve: PaymentProvider["retrieve"],
  clientSecret: string,
): Promise<PaymentState> {
  const until = Date.now() + FOR_MS;
  for (;;) {
    // Without an answer, ask again: the payment goes on without us.
    const state = await retrieve(clientSecret).catch((): PaymentState => ({ status: "processing" }));
    if (state.status !== "processing" || Date.now() >= until) return state;
    await new Promise((done) => setTimeout(done, EVERY_MS));
  }
}
