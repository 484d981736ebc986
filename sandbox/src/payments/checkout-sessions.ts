// Checkout Sessions, as far as verify-payment needs them: create and retrieve. A session has no page: its intent is confirmed
// like any other, and as in Stripe the session names it once somebody has tried to pay.
import type { Api, ApiDeps, ApiRequest } from "../api/api.ts";
import { respond, secretRequest } from "../api/api.ts";
import { expand } from "../api/expansion.ts";
import { type CheckoutSession, type Entry, type Family, member } from "../store/objects.ts";
import { newId } from "../wire/ids.ts";
import { readAmount, readCurrency } from "../wire/money.ts";
import { invalidRequest, missingParameter, noSuch } from "../wire/provider-error.ts";
import { newIntent } from "./payment-intents.ts";

const PATH = "/v1/checkout/sessions";

export function registerSessionRoutes(api: Api, { queries, calls }: ApiDeps): void {
  api.post(PATH, async (c) => {
    const request = secretRequest(c);
    const { session, intent } = readNewSession(request);
    request.parameters.refuseUnknown();
    const transition = { entries: [session, intent], events: [] };
    const about = session.body.id;
    const render = (_: object, family: Family) => view(request, about, family);
    return respond(c, await calls.create(request.call, { transition, about, render }));
  });

  api.get(`${PATH}/:id`, async (c) => {
    const request = secretRequest(c);
    request.parameters.refuseUnknown();
    const id = c.req.param("id");
    return c.json(view(request, id, await queries.family(id)));
  });
}

/** One line item: the shop's total. */
function readNewSession({ parameters, at }: ApiRequest) {
  if (parameters.requiredText("mode") !== "payment")
    throw invalidRequest("The payments sandbox knows only the mode payment.", { param: "mode" });
  const [item, ...more] = parameters.items("line_items");
  const price = item?.nested("price_data");
  if (!item || !price || more.length > 0 || (item.integer("quantity") ?? 1) !== 1)
    throw invalidRequest("The payments sandbox takes one line item, with price_data.", {
      param: "line_items",
    });
  price.nested("product_data")?.requiredText("name");
  const [amount, currency] = [readAmount(price, "unit_amount"), readCurrency(price)];
  if (amount === undefined || currency === undefined) throw missingParameter("line_items[0][price_data]");
  const success_url = parameters.url("success_url");
  if (success_url === undefined) throw missingParameter("success_url");
  const metadata = parameters.nested("payment_intent_data")?.metadata() ?? {};
  const intent = newIntent({ amount, currency, metadata }, at);
  const body: CheckoutSession = {
    id: newId("cs_test"),
    object: "checkout.session",
    amount_total: amount,
    created: at,
    currency,
    livemode: false,
    metadata: {},
    mode: "payment",
    payment_intent: intent.body.id,
    payment_status: "unpaid",
    status: "open",
    success_url,
  };
  const session: Entry<CheckoutSession> = { root: intent.root, body, hidden: {} };
  return { session, intent };
}

/** What is paid and tried is read from the intent. */
function view(request: ApiRequest, id: string, family: Family): object {
  const session = member(family, "checkout.session", id)?.body;
  const intent = session && member(family, "payment_intent", session.payment_intent)?.body;
  if (!session || !intent) throw noSuch("checkout.session", id, "session");
  const isTried = intent.status !== "requires_payment_method" || intent.latest_charge !== null;
  const isPaid = intent.status === "succeeded";
  const current: CheckoutSession = {
    ...session,
    payment_intent: isTried ? intent.id : null,
    payment_status: isPaid ? "paid" : "unpaid",
    status: isPaid || intent.status === "processing" ? "complete" : "open",
  };
  return expand(current, request.expand, family);
}
