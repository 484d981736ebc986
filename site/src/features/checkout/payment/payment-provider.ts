// The interface through which checkout uses any payment provider.
import type { ComponentType, ReactNode } from "react";
import type { Cents } from "contract/shop/money";
import type { CheckoutDetails } from "contract/schemas";

export type PaymentState =
  /** `failure`: why the last attempt to pay it failed, in the provider's words; empty without any. */
  | { status: "open"; failure?: string | undefined }
  | { status: "processing" }
  | { status: "succeeded" }
  /** Can no longer be paid. */
  | { status: "canceled" };

export type PaymentOutcome =
  | { status: "succeeded" }
  | { status: "processing" }
  /** Its order was cancelled or replaced. */
  | { status: "canceled" }
  | { status: "failed"; message?: string | undefined };

export interface PaymentFormProps {
  clientSecret: string;
  amount: Cents;
  buyer: CheckoutDetails["buyer"];
  /** The form's state, owned by the step around it. */
  phase: "idle" | "processing" | "succeeded" | "failed";
  /** Why the last attempt failed, shown at the button, where the buyer is looking. */
  problem: ReactNode;
  /** Paying is disabled because the hold is over. */
  closed: boolean;
  /** Runs the form's confirmation; the step around it handles the outcome. */
  onPay: (confirm: () => Promise<PaymentOutcome>) => void;
}

export interface PaymentProvider {
  /** Reads the state of a payment from the provider. */
  retrieve: (clientSecret: string) => Promise<PaymentState>;
  Form: ComponentType<PaymentFormProps>;
}

/** The state of a payment. A payment of nothing stays open until its order is confirmed. */
export async function stateOfPayment(
  provider: Pick<PaymentProvider, "retrieve">,
  { clientSecret }: { clientSecret: string },
): Promise<PaymentState> {
  return clientSecret === "" ? { status: "open" } : provider.retrieve(clientSecret);
}

/** The intent's id is the part of its client secret before "_secret_". */
export const intentId = (clientSecret: string): string => clientSecret.split("_secret_")[0]!;

/** Where the provider redirects back to (PRODUCT 2.4). */
export function returnAddress(): string {
  return `${location.origin}/dashboard`;
}
