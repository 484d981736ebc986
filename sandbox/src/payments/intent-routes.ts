// /v1/payment_intents: create, retrieve, update, confirm, cancel, list. A browser retrieves and confirms with the publishable
// key and the client secret, and sees less.
import type { Context } from "hono";
import type { Api, ApiDeps, ApiRequest, Env } from "../api/api.ts";
import { respond, secretRequest } from "../api/api.ts";
import type { Card } from "../store/card.ts";
import { readCard } from "./cards.ts";
import { expand } from "../api/expansion.ts";
import { list } from "../api/lists.ts";
import { readAmount, readCurrency } from "../wire/money.ts";
import {
  member,
  type Family,
  type NextAction,
  type PaymentIntent,
  type ProviderObject,
} from "../store/objects.ts";
import * as intents from "./payment-intents.ts";
import { invalidRequest, missingParameter, noSuch } from "../wire/provider-error.ts";

const PATH = "/v1/payment_intents";

type RouteContext = Context<Env, string>;

export function registerIntentRoutes(api: Api, deps: ApiDeps): void {
  api.post(PATH, (c) => create(c, deps));
  api.get(PATH, async (c) => c.json(await list(deps.queries, secretRequest(c), "payment_intent", PATH)));
  api.get(`${PATH}/:id`, (c) => retrieve(c, deps));
  api.post(`${PATH}/:id`, (c) => update(c, deps));
  api.post(`${PATH}/:id/confirm`, (c) => confirm(c, deps));
  api.post(`${PATH}/:id/cancel`, (c) => cancel(c, deps));
}

async function create(c: RouteContext, deps: ApiDeps): Promise<Response> {
  const request = secretRequest(c);
  const { parameters, at } = request;
  const wanted = readNewIntent(request);
  const confirming = parameters.boolean("confirm") === true;
  const confirmation = confirming ? readConfirmation(request, deps) : undefined;
  parameters.refuseUnknown();
  const intent = intents.newIntent(wanted, at);
  const transition = confirmation
    ? intents.confirm(intent, confirmation, at)
    : { entries: [intent], events: [] };
  const render = renderer(request);
  return respond(c, await deps.calls.create(request.call, { transition, about: intent.body.id, render }));
}

async function retrieve(c: RouteContext, { queries }: ApiDeps): Promise<Response> {
  const request = c.get("api");
  const clientSecret = request.parameters.text("client_secret");
  request.parameters.refuseUnknown();
  const family = await queries.family(idOf(c));
  const intent = findIntent(family, idOf(c), request, clientSecret);
  return c.json(renderer(request)(intent.body, family));
}

async function update(c: RouteContext, { calls }: ApiDeps): Promise<Response> {
  const request = secretRequest(c);
  const { parameters } = request;
  const sent = {
    amount: readAmount(parameters, "amount"),
    currency: readCurrency(parameters),
    description: parameters.text("description"),
    receipt_email: parameters.text("receipt_email", 512),
  };
  const changes = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
  const answer = await calls.change(request.call, idOf(c), (family) => {
    const intent = findIntent(family, idOf(c), request);
    const metadata = parameters.metadata(intent.body.metadata);
    parameters.refuseUnknown();
    const transition = intents.update(intent, { ...changes, metadata });
    return { transition, about: intent.body.id, render: renderer(request) };
  });
  return respond(c, answer);
}

async function confirm(c: RouteContext, deps: ApiDeps): Promise<Response> {
  const request = c.get("api");
  const clientSecret = request.parameters.text("client_secret");
  const receiptEmail = request.parameters.text("receipt_email", 512);
  const confirmation = readConfirmation(request, deps);
  request.parameters.refuseUnknown();
  const answer = await deps.calls.change(request.call, idOf(c), (family) => {
    const found = findIntent(family, idOf(c), request, clientSecret);
    const receipt_email = receiptEmail ?? found.body.receipt_email;
    const intent = { ...found, body: { ...found.body, receipt_email } };
    const transition = asSeenBy(request, () => intents.confirm(intent, confirmation, request.at));
    return { transition, about: intent.body.id, render: renderer(request) };
  });
  return respond(c, answer);
}

async function cancel(c: RouteContext, { calls }: ApiDeps): Promise<Response> {
  const request = secretRequest(c);
  const { parameters } = request;
  const reason = parameters.choice("cancellation_reason", REASONS);
  parameters.refuseUnknown();
  const answer = await calls.change(request.call, idOf(c), (family) => {
    const intent = findIntent(family, idOf(c), request);
    const transition = intents.cancel(intent, reason, request.at);
    return { transition, about: intent.body.id, render: renderer(request) };
  });
  return respond(c, answer);
}

const idOf = (c: RouteContext) => c.req.param("id")!;

function readConfirmation(
  { parameters, links }: ApiRequest,
  { clock, lateSeconds }: ApiDeps,
): intents.Confirmation {
  const now = new Date(clock.now());
  const card: Card | undefined = readCard(parameters, now);
  const returnUrl = parameters.url("return_url");
  const inPage = parameters.boolean("use_stripe_sdk") === true || returnUrl === undefined;
  const nextAction = (intent: PaymentIntent): NextAction =>
    inPage
      ? {
          type: "use_stripe_sdk",
          use_stripe_sdk: { type: "three_d_secure_redirect", stripe_js: links.challenge(intent) },
        }
      : {
          type: "redirect_to_url",
          redirect_to_url: { url: links.challenge(intent, returnUrl), return_url: returnUrl },
        };
  return { card, nextAction, lateAt: clock.now() + lateSeconds * 1000 };
}

const REASONS = ["duplicate", "fraudulent", "requested_by_customer", "abandoned"] as const;

function readNewIntent({ parameters }: ApiRequest): intents.NewIntent {
  const amount = readAmount(parameters, "amount");
  if (amount === undefined) throw missingParameter("amount");
  const currency = readCurrency(parameters);
  if (currency === undefined) throw missingParameter("currency");
  const automatic = parameters.nested("automatic_payment_methods");
  const enabled = automatic?.boolean("enabled");
  const allow_redirects = automatic?.choice("allow_redirects", ["always", "never"]) ?? "always";
  const allowed = parameters.texts("allowed_payment_method_types");
  if (allowed.length > 0 && !allowed.includes("card")) {
    throw invalidRequest("The payments sandbox takes cards only.", { param: "allowed_payment_method_types" });
  }
  parameters.choice("confirmation_method", ["automatic"]);
  return {
    amount,
    currency,
    metadata: parameters.metadata(),
    description: parameters.text("description"),
    receiptEmail: parameters.text("receipt_email", 512),
    statementDescriptor: parameters.text("statement_descriptor", 22),
    statementDescriptorSuffix: parameters.text("statement_descriptor_suffix", 22),
    captureMethod: parameters.choice("capture_method", ["automatic", "automatic_async"]),
    allowedTypes: allowed,
    automaticPaymentMethods: enabled === undefined ? null : { enabled, allow_redirects },
  };
}

/** The intent, if it exists and the caller may read it. */
function findIntent(
  family: Family,
  id: string,
  request: ApiRequest,
  clientSecret?: string,
): intents.IntentEntry {
  const intent = member(family, "payment_intent", id);
  if (request.authority === "publishable" && clientSecret === undefined)
    throw missingParameter("client_secret");
  if (!intent) throw noSuch("payment_intent", id, "intent");
  if (clientSecret !== undefined && clientSecret !== intent.body.client_secret) {
    const message =
      "The client_secret provided does not match the client_secret associated with this PaymentIntent.";
    throw invalidRequest(message, { code: "payment_intent_invalid_parameter", param: "client_secret" });
  }
  return intent;
}

const renderer =
  (request: ApiRequest) =>
  (object: ProviderObject, family: Family): object =>
    request.authority === "publishable"
      ? intents.publicView(object as PaymentIntent)
      : expand(object, request.expand, family);

/** Runs a rule whose refusal may contain the intent, and reduces that for a browser. */
function asSeenBy<T>(request: ApiRequest, rule: () => T): T {
  try {
    return rule();
  } catch (error) {
    throw request.authority === "publishable" ? intents.reduceRefusal(error) : error;
  }
}
