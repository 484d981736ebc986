// A local Stripe: the part of Stripe's HTTP API that the shop calls, its pages, its webhooks, on separate tables. It works
// with the official SDK and with a browser. Nothing leaves the machine, and its keys identify it as a sandbox.
import type { Clock } from "../../server/src/platform/clock.ts";
import type { Log } from "../../server/src/platform/log.ts";
import type { Database } from "../../server/src/postgres/database.ts";
import { createApi } from "./api/api.ts";
import { registerBalanceRoutes } from "./payments/balance-routes.ts";
import { createCalls } from "./api/calls.ts";
import { registerSessionRoutes } from "./payments/checkout-sessions.ts";
import { Deliveries } from "./webhooks/deliveries.ts";
import { createFaults, type Fault } from "./faults.ts";
import { newId } from "./wire/ids.ts";
import { registerIntentRoutes } from "./payments/intent-routes.ts";
import { checkKeyPair, type KeyPair } from "./wire/keys.ts";
import { member, type Family, type Transition } from "./store/objects.ts";
import { registerPageRoutes } from "./pages/page-routes.ts";
import { settle } from "./payments/payment-intents.ts";
import { Queries } from "./store/queries.ts";
import { registerRefundRoutes } from "./payments/refund-routes.ts";
import type { Webhook } from "./webhooks/webhook.ts";

export type { Fault } from "./faults.ts";

export interface PaymentsSandboxDeps extends KeyPair {
  readonly database: Database;
  readonly log: Log;
  readonly clock: Clock;
  /** Where events go, and the secret they are signed with. */
  readonly webhook: Webhook;
  /** Origin for the addresses of hosted pages; the request's own by default. */
  readonly publicUrl?: string;
  /** How long a late card stays `processing`; 5 seconds by default. */
  readonly lateSeconds?: number;
}

export interface PaymentsSandbox {
  /** Answers /v1/… and /payments-sandbox/…, with those prefixes in the URL. */
  fetch(request: Request): Promise<Response>;
  /** Starts delivering webhooks and settling late payments. */
  start(): void;
  close(): Promise<void>;
  /** For tests. */
  injectFault(fault: Fault): void;
  clearFaults(): void;
}

/** Throws unless the keys are a sandbox's. */
export function createPaymentsSandbox(deps: PaymentsSandboxDeps): PaymentsSandbox {
  checkKeyPair(deps);
  const { clock, log, webhook } = deps;
  const queries = new Queries(deps.database);
  const faults = createFaults();
  const calls = createCalls(queries, clock, () => deliveries.wake());
  const deliveries = new Deliveries({
    queries,
    clock,
    log,
    webhook,
    async moveOn({ id }) {
      const call = { requestId: newId("req"), idempotencyKey: undefined, fingerprint: "" };
      await calls.change(call, id, (family) => ({
        transition: overdue(family, id, clock.now()),
        about: id,
        render: () => null,
      }));
    },
  });
  const api = createApi(
    {
      secretKey: deps.secretKey,
      publishableKey: deps.publishableKey,
      queries,
      calls,
      clock,
      log,
      lateSeconds: deps.lateSeconds ?? 5,
      publicUrl: deps.publicUrl?.replace(/\/+$/, ""),
    },
    [
      registerIntentRoutes,
      registerRefundRoutes,
      registerBalanceRoutes,
      registerSessionRoutes,
      registerPageRoutes,
    ],
  );

  return {
    fetch: (request) => faults.around(request, async () => api.fetch(request)),
    start: () => deliveries.start(),
    close: () => deliveries.close(),
    injectFault: faults.inject,
    clearFaults: faults.clear,
  };
}

/** The transition of a late payment that is due; empty when another process was faster. */
function overdue(family: Family, id: string, now: number): Transition {
  const intent = member(family, "payment_intent", id);
  if (!intent || (intent.dueAt ?? Infinity) > now) return { entries: [], events: [] };
  return settle(intent, Math.floor(now / 1000));
}
