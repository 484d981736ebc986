// The one shape in which checkout sees a payment provider, whichever it is.
import type { ComponentType, ReactNode } from "react";
import type { Cents } from "contract/money";
import type { CheckoutDetails } from "contract/schemas";

export type PaymentState =
  | { status: "open" }
  | { status: "processing" }
  | { status: "succeeded" }
  /** Can no longer be paid. */
  | { status: "canceled" };

export type PaymentOutcome =
  | { status: "succeeded" }
  | { status: "processing" }
  | { status: "failed"; message?: string | undefined };

export interface PaymentFormProps {
  clientSecret: string;
  amount: Cents;
  buyer: CheckoutDetails["buyer"];
  /** The form's state, owned by the step around it. */
  phase: "idle" | "processing" | "succeeded" | "failed";
  /** Why the last attempt failed: to be shown at the button, where who pressed it looks. */
  problem: ReactNode;
  /** Nothing may be paid now: the hold is over. */
  closed: boolean;
  /** Runs the form's confirmation; the step around it handles the outcome. */
  onPay: (confirm: () => Promise<PaymentOutcome>) => void;
}

export interface PaymentProvider {
  /** Asks the provider what became of a payment. */
  retrieve: (clientSecret: string) => Promise<PaymentState>;
  Form: ComponentType<PaymentFormProps>;
}

/** What became of a payment. One of nothing stays open, until its order is confirmed. */
export async function stateOfPayment(
  provider: Pick<PaymentProvider, "retrieve">,
  { clientSecret }: { clientSecret: string },
): Promise<PaymentState> {
  return clientSecret === "" ? { status: "open" } : provider.retrieve(clientSecret);
}

/** Where redirects come back to (PRODUCT 2.4). */
export function returnAddress(): string {
  return `${location.origin}/dashboard`;
}
