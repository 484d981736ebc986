// Implements the provider interface for Stripe: Stripe Elements, loaded only when a payment is opened.
import { Elements, PaymentElement, useElements, useStripe } from "@stripe/react-stripe-js";
import { loadStripe } from "@stripe/stripe-js/pure";
import type { Appearance, PaymentIntent, Stripe } from "@stripe/stripe-js";
import { useState, type FormEvent } from "react";
import { formatCents } from "contract/shop/money";
import { Button } from "#ui/basics/button.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import {
  returnAddress,
  type PaymentFormProps,
  type PaymentOutcome,
  type PaymentProvider,
  type PaymentState,
} from "./payment-provider.ts";

// Stripe draws the fields in its frame, in the colors of the design system.
const appearance: Appearance = {
  theme: "flat",
  variables: {
    colorPrimary: "#5b2a86",
    colorBackground: "#fffdf8",
    colorText: "#17130f",
    colorDanger: "#b3182d",
    fontFamily: "Source Sans 3, Segoe UI, sans-serif",
    fontSizeBase: "17px",
    borderRadius: "0px",
  },
  rules: { ".Input": { border: "2px solid #17130f" }, ".Tab": { border: "2px solid #17130f" } },
};

/** @throws Error when Stripe's script cannot be fetched */
export async function createStripeProvider(publishableKey: string): Promise<PaymentProvider> {
  const stripe = await loadStripe(publishableKey);
  if (!stripe) throw new Error("Stripe could not be loaded");
  return {
    retrieve: (clientSecret) => retrieve(stripe, clientSecret),
    Form: (props) => (
      <Elements stripe={stripe} options={{ clientSecret: props.clientSecret, appearance }}>
        <StripeForm {...props} />
      </Elements>
    ),
  };
}

function StripeForm({ amount, buyer, phase, problem, closed, onPay }: PaymentFormProps) {
  const stripe = useStripe();
  const elements = useElements();
  const [ready, setReady] = useState(false);

  async function confirm(): Promise<PaymentOutcome> {
    if (!stripe || !elements) return { status: "failed" };
    const { error, paymentIntent } = await stripe.confirmPayment({
      elements,
      confirmParams: { return_url: returnAddress() },
      redirect: "if_required",
    });
    if (!error) return outcomeOf(paymentIntent.status);
    // Confirming a paid intent is refused with that intent, which is not a failure for the buyer.
    const carried = error.payment_intent && outcomeOf(error.payment_intent.status);
    return carried && carried.status !== "failed" ? carried : { status: "failed", message: error.message };
  }

  async function submit(event: FormEvent) {
    event.preventDefault();
    // Stripe's fields mark their own errors. That does not count as an attempt to pay.
    const refused = await elements?.submit();
    if (!refused?.error) onPay(confirm);
  }

  return (
    <form onSubmit={(event) => void submit(event)} aria-label="Payment">
      {!ready && <Skeleton className="h-64" />}
      <div className={ready ? undefined : "h-0 overflow-hidden"}>
        <PaymentElement
          onReady={() => setReady(true)}
          options={{
            layout: "tabs",
            paymentMethodOrder: ["card", "apple_pay", "google_pay"],
            defaultValues: { billingDetails: buyer },
          }}
        />
      </div>
      {problem}
      <Button
        type="submit"
        size="large"
        block
        className="mt-6"
        busy={phase === "processing"}
        disabled={!ready || closed || phase === "succeeded"}
      >
        Pay {formatCents(amount)}
      </Button>
    </form>
  );
}

async function retrieve(stripe: Stripe, clientSecret: string): Promise<PaymentState> {
  const { paymentIntent, error } = await stripe.retrievePaymentIntent(clientSecret);
  if (error) throw new Error(error.message ?? "The payment could not be found");
  const { status, last_payment_error } = paymentIntent;
  return status === "succeeded" || status === "processing" || status === "canceled"
    ? { status }
    : { status: "open", failure: last_payment_error ? (last_payment_error.message ?? "") : undefined };
}

function outcomeOf(status: PaymentIntent.Status): PaymentOutcome {
  return status === "succeeded" || status === "processing" ? { status } : { status: "failed" };
}
