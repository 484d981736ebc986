// The festival's functions on our own server: each handler.ts in process with what it needs, and the jobs that pg_cron runs
// on the platform.
import {
  createFunctions,
  type FunctionsService,
  type FunctionsServiceDeps,
} from "../../../server/src/functions/index.ts";
import { onFirstUse } from "../../../server/src/platform/on-first-use.ts";
import { createPrintingThreads } from "./documents/printing-threads.ts";
import { depsOfCall, type ShopFunctionDeps, sharedDeps } from "./function-deps.ts";

/** Milliseconds from the end of a run to the next. Money does not wait for a mail server, nor mail for the provider. */
export const JOBS = {
  "expire-holds": 15_000,
  "reconcile-payments": 60_000,
  "fetch-provider-books": 900_000,
  "drain-outbox?lane=money": 2_000,
  "drain-outbox?lane=mail": 2_000,
  "drain-outbox?lane=bulk": 2_000,
  "broadcast-stock": 2_000,
  "broadcast-scans": 2_000,
  "clean-up": 600_000,
} as const;

/** The functions of a sale and its confirmation, for signed-in callers. */
const OF_THE_SALE = new Set(["create-payment-intent", "process-payment", "verify-payment"]);

export type ShopFunctionsServiceDeps = ShopFunctionDeps & Omit<FunctionsServiceDeps, "inProcess" | "jobs">;

export function createShopFunctions(deps: ShopFunctionsServiceDeps): FunctionsService {
  const shared = onFirstUse(() =>
    sharedDeps(deps, (lane) => {
      for (const filled of lane ? [lane] : (["money", "mail"] as const))
        service.poke(`drain-outbox?lane=${filled}`);
    }),
  );
  const printing = createPrintingThreads();
  const service = createFunctions({
    ...deps,
    jobs: JOBS,
    inProcess: {
      depsOf: async (context) => depsOfCall(await shared.get(), deps.log, printing, context),
      // A sign-in alone is not enough: accounts are free. The provider's events are signed.
      isUrgent: (name, { claims }) =>
        name === "stripe-webhook" || (claims.role !== "anon" && OF_THE_SALE.has(name)),
      close: () => printing.close(),
    },
  });
  return {
    ...service,
    startJobs() {
      service.startJobs();
      // Otherwise the first buyer waits while the SDK loads, for 0.1 s of processor time.
      shared
        .get()
        .then(({ stripe }) => stripe())
        .catch((error: unknown) => deps.log.warn({ err: error }, "the payment provider's SDK did not load"));
    },
  };
}
