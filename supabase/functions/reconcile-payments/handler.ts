// Compares the provider's books with ours and confirms payments that neither the browser nor a webhook reported, so that no paid
// order depends on a message getting through. Each run looks at the newest intents; a pass of several runs covers older ones and
// survives a restart.
import type Stripe from "stripe";
import { concurrently } from "../_shared/concurrently.ts";
import { confirmOrder, orderIdOf } from "../_shared/confirmation.ts";
import type { FunctionDeps } from "../_shared/deps.ts";
import { fromProvider, isMissing } from "../_shared/payment-provider.ts";
import { serviceFunction } from "../_shared/handler.ts";
import type { ProviderSweep } from "../_shared/provider-sweep.ts";
import { readProgress, writeProgress } from "./progress.ts";
import { askAfterRefunds } from "./refunds.ts";

/** An order is paid within its hold; the rest allows for delays at the provider and here. */
const LOOK_BACK_MS = 6 * 3_600_000;
/** The limit, however long nothing ran. */
const LONGEST_LOOK_BACK_MS = 30 * 86_400_000;
const PAGE = 100;
/** Per run: the next run continues a minute later. */
const NEWEST_PAGES = 10;
const OLDER_PAGES = 40;
const LANES = 4;

/** Looks at a page of intents. */
type Look = (page: Stripe.PaymentIntent[]) => Promise<void>;

export const handler = serviceFunction(async (_request, deps) => {
  const total = { looked_at: 0, confirmed: 0, failed: 0, complete: false };
  const look: Look = async (page) => {
    const paid = page.filter((intent) => intent.status === "succeeded" && orderIdOf(intent) !== undefined);
    const missed = await withoutPayment(deps, paid);
    const outcomes = await concurrently(missed, LANES, (intent) => confirm(deps, intent));
    total.looked_at += page.length;
    total.confirmed += outcomes.filter((confirmed) => confirmed).length;
    total.failed += outcomes.filter((confirmed) => !confirmed).length;
  };
  total.complete = await goOn(deps, look);
  await askAfterRefunds(deps);
  await deps.sql("alert_due_disputes", {});
  return total;
});

/** One run. True when everything since the last complete pass has been looked at. */
async function goOn(deps: FunctionDeps, look: Look): Promise<boolean> {
  const now = deps.now();
  const { completeTo, pass } = await readProgress(deps);
  const from = Math.max((completeTo ?? now) - LOOK_BACK_MS, now - LONGEST_LOOK_BACK_MS);
  const newest = await lookAt(deps, { from, most: NEWEST_PAGES, look });
  if (newest === undefined) {
    await writeProgress(deps, { completeTo: now, pass: undefined });
    return true;
  }
  let current: ProviderSweep = pass ?? { beganAt: now, from, after: newest };
  const save = (after: string) => {
    current = { ...current, after };
    return writeProgress(deps, { completeTo, pass: current });
  };
  const rest = await lookAt(deps, { ...current, most: OLDER_PAGES, look, save });
  if (rest !== undefined) return false;
  await writeProgress(deps, { completeTo: current.beganAt, pass: undefined });
  return false; // intents created since the pass began belong to the next one
}

interface Stretch {
  readonly from: number;
  readonly after?: string;
  readonly most: number;
  readonly look: Look;
  /** Called with the last intent of each page that has been looked at. */
  readonly save?: (after: string) => Promise<void>;
}

/** Newest first. Returns the last intent it has looked at, or undefined when there are no older ones. */
async function lookAt(
  deps: FunctionDeps,
  { from, after, most, look, save }: Stretch,
): Promise<string | undefined> {
  const stripe = await deps.stripe();
  const created = { gte: Math.floor(from / 1000) };
  let last = after;
  for (let count = 0; count < most; count++) {
    const starting = last === undefined ? {} : { starting_after: last };
    const page = await fromProvider(() =>
      stripe.paymentIntents.list({ created, limit: PAGE, ...starting }),
    ).catch(async (error: unknown) => {
      // The provider no longer knows the intent: without this, every run would fail here.
      if (isMissing(error)) await forgetPass(deps);
      throw error;
    });
    await look(page.data);
    last = page.data.at(-1)?.id;
    if (!page.has_more || last === undefined) return undefined;
    await save?.(last);
  }
  return last;
}

async function forgetPass(deps: FunctionDeps): Promise<void> {
  const { completeTo } = await readProgress(deps);
  await writeProgress(deps, { completeTo, pass: undefined });
}

/** Those that our books do not show as paid. A refunded payment counts as seen. */
async function withoutPayment(
  deps: FunctionDeps,
  paid: Stripe.PaymentIntent[],
): Promise<Stripe.PaymentIntent[]> {
  if (paid.length === 0) return [];
  const seen = new Set(await deps.sql("paid_intents", { p_intent_ids: paid.map(({ id }) => id) }));
  return paid.filter((intent) => !seen.has(intent.id));
}

async function confirm(deps: FunctionDeps, intent: Stripe.PaymentIntent): Promise<boolean> {
  try {
    const { status } = await confirmOrder(deps, intent);
    if (status !== "not_found")
      deps.log.warn({ paymentIntentId: intent.id, status }, "payment found by reconciling");
    return status !== "not_found";
  } catch (error) {
    deps.log.error({ err: error, paymentIntentId: intent.id }, "payment could not be reconciled");
    return false;
  }
}
