// /v1/refunds, /v1/charges and /v1/events: refunds of captured money, and the events about them.
import type { Api, ApiDeps, ApiRequest } from "../api/api.ts";
import { reply, secretRequest } from "../api/api.ts";
import { expand } from "../api/expansion.ts";
import { list } from "../api/lists.ts";
import { member, type Family, type Kind, type ProviderObject } from "../store/objects.ts";
import { missingParameter, noSuch } from "../wire/provider-error.ts";
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
    return reply(c, answer);
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

  for (const [path, kind] of [
    ["/v1/refunds/:id", "refund"],
    ["/v1/charges/:id", "charge"],
    ["/v1/events/:id", "event"],
  ] as const satisfies readonly (readonly [string, Kind])[]) {
    api.get(path, async (c) => {
      const request = secretRequest(c);
      request.parameters.refuseUnknown();
      const id = c.req.param("id");
      const family = await queries.families([id]);
      const found = member(family, kind, id);
      if (!found) throw noSuch(kind, id);
      return c.json(renderer(request)(found.body, family));
    });
  }
}

const renderer = (request: ApiRequest) => (object: ProviderObject, family: Family) =>
  expand(object, request.expand, family);
