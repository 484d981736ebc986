// Stores the provider's balance transactions for the accountant's report. A call fetches a bounded number of pages; the next call,
// from the job or from a reader of the report, continues from there, even after a restart.
import type Stripe from "stripe";
import type { FunctionDeps } from "../_shared/deps.ts";
import { FunctionError } from "../_shared/errors.ts";
import { liveCaller, publicFunction } from "../_shared/handler.ts";
import { fromProvider, isMissing } from "../_shared/payment-provider.ts";
import { officeRole } from "../_shared/staff.ts";
import type { ProviderSweep } from "../_shared/provider-sweep.ts";
import { readProgress, writeProgress } from "./progress.ts";

const PAGE = 100;
/** Per call: about ten seconds with a provider that answers in half a second. */
const MOST_PAGES = 20;
/** The provider may list a transaction later than it is dated. */
const OVERLAP_MS = 3_600_000;

export const handler = publicFunction(async (request, deps) => {
  const userId = await authorized(request, deps);
  const fetched = await goOn(deps);
  if (userId !== undefined && fetched.complete) {
    await deps.sql("note_books_fetched", { p_user_id: userId, p_kept: fetched.kept });
  }
  return fetched;
});

/** The job's calls have no user. */
async function authorized(request: Request, deps: FunctionDeps): Promise<string | undefined> {
  if (await deps.isService(request)) return undefined;
  const caller = await liveCaller(request, deps);
  if (!caller) throw new FunctionError("unauthorized", "Please sign in first.");
  if ((await officeRole(deps, caller)) === null) {
    throw new FunctionError("forbidden", "Only administrators and finance may do this.");
  }
  return caller.userId;
}

/** One call. `complete` once everything that existed when the pass began is stored. */
async function goOn(deps: FunctionDeps): Promise<{ complete: boolean; kept: number }> {
  const { completeTo, pass, kept: before } = await readProgress(deps);
  const beganAt = pass?.beganAt ?? deps.now();
  const from = pass?.from ?? Math.max((completeTo ?? 0) - OVERLAP_MS, 0);
  let after = pass?.after;
  let kept = pass ? before : 0;
  for (let page = 0; page < MOST_PAGES; page++) {
    const found = await fetchPage(deps, from, after);
    kept += await deps.sql("keep_provider_transactions", { p_rows: found.data.map(rowOf) });
    after = found.data.at(-1)?.id;
    if (!found.has_more || after === undefined) {
      await writeProgress(deps, { completeTo: beganAt, pass: undefined, kept });
      return { complete: true, kept };
    }
    const next: ProviderSweep = { beganAt, from, after };
    await writeProgress(deps, { completeTo, pass: next, kept });
  }
  return { complete: false, kept };
}

async function fetchPage(deps: FunctionDeps, from: number, after: string | undefined) {
  const stripe = await deps.stripe();
  return fromProvider(() =>
    stripe.balanceTransactions.list({
      created: { gte: Math.floor(from / 1000) },
      limit: PAGE,
      expand: ["data.source"],
      ...(after !== undefined && { starting_after: after }),
    }),
  ).catch(async (error: unknown) => {
    // The keys now belong to another account: without a fresh start, every call would fail here.
    if (isMissing(error)) await startAnew(deps);
    throw error;
  });
}

async function startAnew(deps: FunctionDeps): Promise<void> {
  const { completeTo } = await readProgress(deps);
  await writeProgress(deps, { completeTo, pass: undefined, kept: 0 });
}

/** A charge is known here by its intent, everything else by the provider's id. */
function rowOf(transaction: Stripe.BalanceTransaction) {
  const { source } = transaction;
  const sourceId = typeof source === "string" ? source : source?.id;
  const intent =
    typeof source === "object" && source && "payment_intent" in source ? source.payment_intent : null;
  const intentId = typeof intent === "string" ? intent : intent?.id;
  const isCharge = transaction.reporting_category === "charge";
  return {
    id: transaction.id,
    category: transaction.reporting_category,
    about_id: (isCharge ? intentId : undefined) ?? sourceId ?? transaction.id,
    payment_intent_id: intentId ?? null,
    cents: transaction.amount,
    fee_cents: transaction.fee,
    currency: transaction.currency,
    description: transaction.description,
    status: transaction.status,
    created_at: new Date(transaction.created * 1000).toISOString(),
  };
}
