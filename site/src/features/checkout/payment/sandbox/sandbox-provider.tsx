// Implements the provider interface for the payments sandbox.
import type { PaymentProvider, PaymentState } from "../payment-provider.ts";
import { createSandboxApi, type SandboxIntent } from "./sandbox-api.ts";
import { SandboxForm } from "./sandbox-form.tsx";

export function createSandboxProvider(publishableKey: string): PaymentProvider {
  const api = createSandboxApi(publishableKey);
  return {
    retrieve: async (clientSecret) => stateOf(await api.retrieve(clientSecret)),
    Form: (props) => <SandboxForm api={api} {...props} />,
  };
}

function stateOf({ status, last_payment_error }: SandboxIntent): PaymentState {
  return status === "succeeded" || status === "processing" || status === "canceled"
    ? { status }
    : { status: "open", failure: last_payment_error ? (last_payment_error.message ?? "") : undefined };
}
