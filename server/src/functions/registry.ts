// The functions and where each comes from. A function's code is loaded with its first call, so that starting the server waits
// for none of them.
import type { Handler } from "../../../supabase/functions/_shared/deps.ts";

type Load = () => Promise<{ handler: Handler }>;

const functions = {
  "payment-config": () => import("../../../supabase/functions/payment-config/handler.ts"),
  "create-payment-intent": () => import("../../../supabase/functions/create-payment-intent/handler.ts"),
  "waiting-room": () => import("../../../supabase/functions/waiting-room/handler.ts"),
  "process-payment": () => import("../../../supabase/functions/process-payment/handler.ts"),
  "verify-payment": () => import("../../../supabase/functions/verify-payment/handler.ts"),
  "generate-qr-code": () => import("../../../supabase/functions/generate-qr-code/handler.ts"),
  "door-codes": () => import("../../../supabase/functions/door-codes/handler.ts"),
  "wallet-pass": () => import("../../../supabase/functions/wallet-pass/handler.ts"),
  "order-documents": () => import("../../../supabase/functions/order-documents/handler.ts"),
  "stripe-webhook": () => import("../../../supabase/functions/stripe-webhook/handler.ts"),
  "expire-holds": () => import("../../../supabase/functions/expire-holds/handler.ts"),
  "reconcile-payments": () => import("../../../supabase/functions/reconcile-payments/handler.ts"),
  "fetch-provider-books": () => import("../../../supabase/functions/fetch-provider-books/handler.ts"),
  "drain-outbox": () => import("../../../supabase/functions/drain-outbox/handler.ts"),
  "roll-up": () => import("../../../supabase/functions/roll-up/handler.ts"),
  "broadcast-stock": () => import("../../../supabase/functions/broadcast-stock/handler.ts"),
  "clean-up": () => import("../../../supabase/functions/clean-up/handler.ts"),
  "invite-staff": () => import("../../../supabase/functions/invite-staff/handler.ts"),
  "redeem-gate-invitation": () => import("../../../supabase/functions/redeem-gate-invitation/handler.ts"),
  "mail-bounces": () => import("../../../supabase/functions/mail-bounces/handler.ts"),
  "ticket-transfer": () => import("../../../supabase/functions/ticket-transfer/handler.ts"),
  "submit-vendor-application": () =>
    import("../../../supabase/functions/submit-vendor-application/handler.ts"),
  "vendor-picture": () => import("../../../supabase/functions/vendor-picture/handler.ts"),
  "submit-sponsor-inquiry": () => import("../../../supabase/functions/submit-sponsor-inquiry/handler.ts"),
} satisfies Record<string, Load>;

export type FunctionName = keyof typeof functions;

/** Names as in the URL. */
export const functionNames = Object.keys(functions) as FunctionName[];

export function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(functions, name);
}

export async function loadHandler(name: FunctionName): Promise<Handler> {
  return (await functions[name]()).handler;
}
