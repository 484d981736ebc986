// The sandbox's own pages under /payments-sandbox: the 3-D Secure challenge and the hosted checkout.
import type { Context } from "hono";
import type { Clock } from "../../../server/src/platform/clock.ts";
import type { Api, ApiDeps, Env } from "../api/api.ts";
import { readCard } from "../payments/cards.ts";
import { challengeDonePage, challengePage, missingPage } from "./challenge-page.ts";
import { checkoutPage, expiredPage } from "./checkout-page.ts";
import { pay, successUrl, withSession, type SessionEntry } from "../payments/checkout-sessions.ts";
import { parseForm } from "../wire/form.ts";
import { newId } from "../wire/ids.ts";
import { linksAt, returnTo } from "../api/links.ts";
import { member, type Family, type PaymentIntent } from "../store/objects.ts";
import { Parameters } from "../wire/parameters.ts";
import { authenticate } from "../payments/payment-intents.ts";
import { ProviderError } from "../wire/provider-error.ts";

const CHALLENGE = "/payments-sandbox/challenge/:intent";
const CHECKOUT = "/payments-sandbox/checkout/:session";

type PageContext = Context<Env, string>;

export function registerPageRoutes(api: Api, deps: ApiDeps): void {
  api.get(CHALLENGE, (c) => showChallenge(c, deps));
  api.post(CHALLENGE, (c) => answerChallenge(c, deps));
  api.get(CHECKOUT, (c) => showCheckout(c, deps));
  api.post(CHECKOUT, (c) => payCheckout(c, deps));
}

async function showChallenge(c: PageContext, { queries }: ApiDeps): Promise<Response> {
  const intent = intentOf(await queries.families([c.req.param("intent")!]), c);
  if (!intent) return missingPage("payment");
  return intent.status === "requires_action" ? challengePage(intent) : afterChallenge(c, intent);
}

async function answerChallenge(c: PageContext, { queries, calls, clock }: ApiDeps): Promise<Response> {
  const passed = new URLSearchParams(await c.req.text()).get("outcome") === "complete";
  const id = c.req.param("intent")!;
  const before = intentOf(await queries.families([id]), c);
  if (!before) return missingPage("payment");
  if (before.status === "requires_action") {
    await calls
      .change(ownCall(), id, (family) => {
        const transition = authenticate(member(family, "payment_intent", id)!, passed, seconds(clock));
        return { transition: withSession(family, transition), about: id, render: () => null };
      })
      .catch(ignoreRefusal); // answered twice: the first answer counts
  }
  return afterChallenge(c, intentOf(await queries.families([id]), c)!);
}

async function showCheckout(c: PageContext, deps: ApiDeps): Promise<Response> {
  const { session, intent } = await readCheckout(c, deps);
  if (!session) return missingPage("checkout");
  if (session.body.status === "complete") return c.redirect(successUrl(session.body), 303);
  if (session.body.status === "expired") return expiredPage(session.body);
  return checkoutPage(session, intent?.last_payment_error?.message);
}

async function payCheckout(c: PageContext, deps: ApiDeps): Promise<Response> {
  const { calls, clock, lateSeconds } = deps;
  const { session } = await readCheckout(c, deps);
  if (!session) return missingPage("checkout");
  const id = session.body.id;
  const links = linksAt(new URL(c.req.url).origin);
  try {
    const card = readCard(cardParameters(await c.req.text()), new Date(clock.now()));
    const nextAction = (intent: PaymentIntent) => {
      const return_url = links.checkout(id);
      const url = links.challenge(intent, return_url);
      return { type: "redirect_to_url" as const, redirect_to_url: { url, return_url } };
    };
    const lateAt = clock.now() + lateSeconds * 1000;
    await calls.change(ownCall(), id, (family) => {
      const open = member(family, "checkout.session", id)!;
      const transition = pay(family, open, { card, nextAction, lateAt }, seconds(clock));
      return { transition, about: id, render: () => null };
    });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.status === 402) return checkoutPage(session, error.message);
  }
  const { intent } = await readCheckout(c, deps);
  const action = intent?.next_action;
  return c.redirect(
    action?.type === "redirect_to_url" ? action.redirect_to_url.url : links.checkout(id),
    303,
  );
}

const seconds = (clock: Clock) => Math.floor(clock.now() / 1000);

async function readCheckout(
  c: PageContext,
  { queries }: ApiDeps,
): Promise<{ session?: SessionEntry; intent?: PaymentIntent }> {
  const id = c.req.param("session")!;
  const family = await queries.families([id]);
  const session = member(family, "checkout.session", id);
  const intent = session && member(family, "payment_intent", session.body.payment_intent);
  return { ...(session && { session }), ...(intent && { intent: intent.body }) };
}

/** The intent in the address, if the address carries its secret. */
function intentOf(family: Family, c: PageContext): PaymentIntent | undefined {
  const intent = member(family, "payment_intent", c.req.param("intent")!)?.body;
  return intent?.client_secret === c.req.query("client_secret") ? intent : undefined;
}

function returnUrlOf(c: PageContext): string | undefined {
  const url = c.req.query("return_url");
  return url !== undefined && /^https?:$/.test(URL.parse(url)?.protocol ?? "") ? url : undefined;
}

function afterChallenge(c: PageContext, intent: PaymentIntent): Response | Promise<Response> {
  const returnUrl = returnUrlOf(c);
  return returnUrl === undefined ? challengeDonePage(intent) : c.redirect(returnTo(returnUrl, intent), 303);
}

/** The form's fields as the API would receive them. */
function cardParameters(text: string) {
  const form = parseForm(text);
  const { name = "", ...card } = form;
  return new Parameters({
    payment_method_data: { type: "card", card, billing_details: { name } },
  });
}

/** A call without an idempotency key: made by the provider's own page. */
const ownCall = () => ({ requestId: newId("req"), idempotencyKey: undefined, fingerprint: "" });

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ProviderError)) throw error;
}
