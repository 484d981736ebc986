// The sandbox's own page under /payments-sandbox: the 3-D Secure challenge.
import type { Context } from "hono";
import type { Clock } from "../../../server/src/platform/clock.ts";
import type { Api, ApiDeps, Env } from "../api/api.ts";
import { challengeDonePage, challengePage, missingPage } from "./challenge-page.ts";
import { newId } from "../wire/ids.ts";
import { returnTo } from "../api/links.ts";
import { member, type Family, type PaymentIntent } from "../store/objects.ts";
import { authenticate } from "../payments/payment-intents.ts";
import { ProviderError } from "../wire/provider-error.ts";

const CHALLENGE = "/payments-sandbox/challenge/:intent";

type PageContext = Context<Env, string>;

export function registerPageRoutes(api: Api, deps: ApiDeps): void {
  api.get(CHALLENGE, (c) => showChallenge(c, deps));
  api.post(CHALLENGE, (c) => answerChallenge(c, deps));
}

async function showChallenge(c: PageContext, { queries }: ApiDeps): Promise<Response> {
  const intent = intentOf(await queries.family(c.req.param("intent")!), c);
  if (!intent) return missingPage("payment");
  return intent.status === "requires_action" ? challengePage(intent) : afterChallenge(c, intent);
}

async function answerChallenge(c: PageContext, { queries, calls, clock }: ApiDeps): Promise<Response> {
  const passed = new URLSearchParams(await c.req.text()).get("outcome") === "complete";
  const id = c.req.param("intent")!;
  const before = intentOf(await queries.family(id), c);
  if (!before) return missingPage("payment");
  if (before.status === "requires_action") {
    await calls
      .change(ownCall(), id, (family) => {
        const transition = authenticate(member(family, "payment_intent", id)!, passed, seconds(clock));
        return { transition, about: id, render: () => null };
      })
      .catch(ignoreRefusal); // answered twice: the first answer counts
  }
  return afterChallenge(c, intentOf(await queries.family(id), c)!);
}

const seconds = (clock: Clock) => Math.floor(clock.now() / 1000);

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

/** A call without an idempotency key: made by the provider's own page. */
const ownCall = () => ({ requestId: newId("req"), idempotencyKey: undefined, fingerprint: "" });

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ProviderError)) throw error;
}
