// /v1/refunds, /v1/charges and /v1/events: refunds of captured money, and the events about them.
import type { Api, ApiDeps } from "../api/api.ts";
import { respond, secretRequest } from "../api/api.ts";
import { list } from "../api/lists.ts";
import { registerRetrieval, renderer } from "../api/retrieval.ts";
import { missingParameter } from "../wire/provider-error.ts";
import { refund } from "./refunds.ts";

const REASONS = ["duplicate", "fraudulent", "requested_by_customer"] as const;

export function registerRefundRoutes(api: Api, { queries, calls }: ApiDeps): void {
  api.post("/v1/refunds", async (c) => {
    const request = secretRequest(c);
    const { parameters } = request;
    const wanted = {
      charge: parameters.text("charge"),
      intent: parameters.text("payment_intent"),
      amount: parameters.integer("amount"),
      reason: parameters.choice("reason", REASONS),
      metadata: parameters.metadata(),
    };
    parameters.refuseUnknown();
    const of = wanted.charge ?? wanted.intent;
    if (of === undefined) throw missingParameter("payment_intent");
    const answer = await calls.change(request.call, of, (family) => {
      const transition = refund(family, wanted, request.at);
      return { transition, about: transition.refund.body.id, render: renderer(request) };
    });
    return respond(c, answer);
  });

  api.get("/v1/refunds", async (c) => {
    const request = secretRequest(c);
    const paymentIntent = request.parameters.text("payment_intent");
    const charge = request.parameters.text("charge");
    return c.json(
      await list(queries, request, "refund", "/v1/refunds", { paymentIntent, containing: { charge } }),
    );
  });

  api.get("/v1/charges", async (c) => {
    const request = secretRequest(c);
    const paymentIntent = request.parameters.text("payment_intent");
    return c.json(await list(queries, request, "charge", "/v1/charges", { paymentIntent }));
  });

  api.get("/v1/events", async (c) => {
    const request = secretRequest(c);
    const type = request.parameters.text("type");
    return c.json(await list(queries, request, "event", "/v1/events", { containing: { type } }));
  });

  registerRetrieval(
    api,
    { queries },
    {
      "/v1/refunds/:id": "refund",
      "/v1/charges/:id": "charge",
      "/v1/events/:id": "event",
    },
  );
}
