// /v1/checkout/sessions: create, retrieve, expire, list.
import type { Api, ApiDeps, ApiRequest } from "../api/api.ts";
import { reply, secretRequest } from "../api/api.ts";
import { expire, newSession, type NewSession } from "./checkout-sessions.ts";
import { expand } from "../api/expansion.ts";
import { list } from "../api/lists.ts";
import { checkAmount, readCurrency } from "../wire/money.ts";
import { member, type CheckoutDetails, type Family, type ProviderObject } from "../store/objects.ts";
import type { Parameters } from "../wire/parameters.ts";
import { invalidRequest, missingParameter, noSuch } from "../wire/provider-error.ts";

const PATH = "/v1/checkout/sessions";
const SHORTEST_SECONDS = 30 * 60;
const LONGEST_SECONDS = 24 * 60 * 60;

export function registerSessionRoutes(api: Api, { queries, calls }: ApiDeps): void {
  api.post(PATH, async (c) => {
    const request = secretRequest(c);
    const wanted = readNewSession(request);
    request.parameters.refuseUnknown();
    const session = newSession(wanted, request.at);
    checkAmount(session.body.amount_total, "line_items");
    const transition = { entries: [session], events: [] };
    const render = renderer(request);
    return reply(c, await calls.create(request.call, { transition, about: session.body.id, render }));
  });

  api.get(PATH, async (c) => {
    const request = secretRequest(c);
    const containing = {
      payment_intent: request.parameters.text("payment_intent"),
      status: request.parameters.choice("status", ["open", "complete", "expired"]),
    };
    return c.json(await list(queries, request, "checkout.session", PATH, { containing }));
  });

  api.get(`${PATH}/:id`, async (c) => {
    const request = secretRequest(c);
    request.parameters.refuseUnknown();
    const family = await queries.families([c.req.param("id")]);
    return c.json(renderer(request)(findSession(family, c.req.param("id")).body, family));
  });

  api.post(`${PATH}/:id/expire`, async (c) => {
    const request = secretRequest(c);
    request.parameters.refuseUnknown();
    const answer = await calls.change(request.call, c.req.param("id"), (family) => {
      const session = findSession(family, c.req.param("id"));
      const transition = expire(family, session, request.at);
      return { transition, about: session.body.id, render: renderer(request) };
    });
    return reply(c, answer);
  });
}

function findSession(family: Family, id: string) {
  const session = member(family, "checkout.session", id);
  if (!session) throw noSuch("checkout.session", id, "session");
  return session;
}

function readNewSession({ parameters, at, links }: ApiRequest): NewSession {
  if (parameters.requiredText("mode") !== "payment") {
    throw invalidRequest("The payments sandbox knows only the mode payment.", { param: "mode" });
  }
  const items = parameters.items("line_items").map(readLine);
  if (items.length === 0) throw missingParameter("line_items");
  const currencies = new Set(items.map((item) => item.currency));
  if (currencies.size > 1)
    throw invalidRequest("All line items must have the same currency.", { param: "line_items" });
  const allowed = parameters.texts("allowed_payment_method_types");
  if (allowed.length > 0 && !allowed.includes("card")) {
    throw invalidRequest("The payments sandbox takes cards only.", { param: "allowed_payment_method_types" });
  }
  parameters.choice("ui_mode", ["hosted_page"]);
  const successUrl = parameters.url("success_url");
  if (successUrl === undefined) throw missingParameter("success_url");
  const expiresAt = parameters.integer("expires_at") ?? at + LONGEST_SECONDS;
  if (expiresAt < at + SHORTEST_SECONDS - 60 || expiresAt > at + LONGEST_SECONDS) {
    const message =
      "The expires_at timestamp must be between 30 minutes and 24 hours from Checkout Session creation.";
    throw invalidRequest(message, { param: "expires_at" });
  }
  const forIntent = parameters.nested("payment_intent_data");
  const details: CheckoutDetails = {
    lines: items.map(({ name, quantity, unitAmount }) => ({ name, quantity, unitAmount })),
    intentMetadata: forIntent?.metadata() ?? {},
    description: forIntent?.text("description") ?? null,
    receiptEmail: forIntent?.text("receipt_email") ?? null,
  };
  return {
    currency: items[0]!.currency,
    details,
    successUrl,
    cancelUrl: parameters.url("cancel_url"),
    customerEmail: parameters.text("customer_email"),
    clientReferenceId: parameters.text("client_reference_id", 200),
    metadata: parameters.metadata(),
    expiresAt,
    pageOf: links.checkout,
  };
}

function readLine(line: Parameters) {
  const price = line.nested("price_data");
  if (!price)
    throw invalidRequest("The payments sandbox keeps no prices: send price_data.", { param: "line_items" });
  const product = price.nested("product_data");
  product?.text("description");
  const quantity = line.integer("quantity") ?? 1;
  const unitAmount = price.integer("unit_amount");
  const currency = readCurrency(price);
  if (unitAmount === undefined || unitAmount < 0)
    throw missingParameter("line_items[price_data][unit_amount]");
  if (currency === undefined) throw missingParameter("line_items[price_data][currency]");
  if (quantity < 1 || quantity > 999_999) throw invalidRequest("Invalid quantity", { param: "line_items" });
  return { name: product?.requiredText("name") ?? "Item", quantity, unitAmount, currency };
}

const renderer = (request: ApiRequest) => (object: ProviderObject, family: Family) =>
  expand(object, request.expand, family);
