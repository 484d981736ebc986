// The API under /v1: reads the common parts of every request (key, parameters, idempotency key) and answers in Stripe's
// format. Hides HTTP from the routes, which get an ApiRequest.
import { createHash } from "node:crypto";
import { Hono, type Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Clock } from "../../../server/src/platform/clock.ts";
import type { Log } from "../../../server/src/platform/log.ts";
import type { Calls } from "./calls.ts";
import type { Answer, Call } from "./outcomes.ts";
import { API_VERSION } from "../webhooks/events.ts";
import { canonical, parseForm } from "../wire/form.ts";
import { newId } from "../wire/ids.ts";
import { type Authority, authorityOf, type KeyPair, keyFromHeader, secretKeyRequired } from "../wire/keys.ts";
import { type Links, linksAt } from "./links.ts";
import { Parameters } from "../wire/parameters.ts";
import { errorAnswer, invalidRequest, ProviderError } from "../wire/provider-error.ts";
import type { Queries } from "../store/queries.ts";

export interface ApiRequest {
  readonly call: Call;
  readonly authority: Authority;
  readonly parameters: Parameters;
  /** The paths of `expand[]`. */
  readonly expand: readonly string[];
  /** Seconds since the epoch. */
  readonly at: number;
  readonly links: Links;
}

export interface ApiDeps extends KeyPair {
  readonly queries: Queries;
  readonly calls: Calls;
  readonly clock: Clock;
  readonly log: Log;
  /** Seconds until a late card settles. */
  readonly lateSeconds: number;
  /** Origin for links requested by the server. Links requested by a browser stay on its own origin. */
  readonly publicUrl: string | undefined;
}

export type Env = { Variables: { requestId: string; api: ApiRequest } };
export type Api = Hono<Env>;

export function createApi(deps: ApiDeps, routes: readonly ((api: Api, deps: ApiDeps) => void)[]): Api {
  const api: Api = new Hono<Env>();

  api.use("/v1/*", async (c, next) => {
    c.set("requestId", newId("req"));
    c.set("api", await readRequest(c, deps));
    await next();
  });
  api.use("/v1/*", async (c, next) => {
    await next();
    c.header("request-id", c.get("requestId"));
    c.header("stripe-version", API_VERSION);
    c.header("cache-control", "no-store");
    const key = c.req.header("idempotency-key");
    if (key !== undefined) c.header("idempotency-key", key);
  });
  for (const register of routes) register(api, deps);

  api.notFound((c) => {
    const message = `Unrecognized request URL (${c.req.method}: ${c.req.path}) in the payments sandbox.`;
    return c.json(errorAnswer({ type: "invalid_request_error", message }), 404);
  });
  api.onError((error, c) => {
    c.header("request-id", c.get("requestId"));
    if (error instanceof ProviderError) {
      return c.json(errorAnswer(error.body), error.status as ContentfulStatusCode);
    }
    deps.log.error({ err: error, requestId: c.get("requestId") }, "payments sandbox: request failed");
    return c.json(errorAnswer({ type: "api_error", message: "An unknown error occurred" }), 500);
  });
  return api;
}

/** The response to a call that writes. */
export function respond(c: Context<Env>, answer: Answer): Response {
  if (answer.replayed) c.header("idempotent-replayed", "true");
  return c.json(answer.body as object, answer.status as ContentfulStatusCode);
}

/** The request; throws unless it came with the secret key. */
export function secretRequest(c: Context<Env>): ApiRequest {
  const request = c.get("api");
  if (request.authority !== "secret") throw secretKeyRequired();
  return request;
}

async function readRequest(c: Context<Env>, deps: ApiDeps): Promise<ApiRequest> {
  const tree = parseForm(await formText(c));
  const parameters = new Parameters(tree);
  const inForm = parameters.text("key");
  const authority = authorityOf(keyFromHeader(c.req.header("authorization")) ?? inForm, deps);
  const idempotencyKey = c.req.method === "POST" ? c.req.header("idempotency-key") || undefined : undefined;
  if (idempotencyKey !== undefined && idempotencyKey.length > 255) {
    throw invalidRequest("Idempotency keys can have up to 255 characters.");
  }
  const fingerprint =
    idempotencyKey === undefined ? "" : sha256(`${c.req.method} ${c.req.path} ${canonical(tree)}`);
  const origin = new URL(c.req.url).origin;
  return {
    call: {
      requestId: c.get("requestId"),
      idempotencyKey,
      fingerprint,
    },
    authority,
    parameters,
    expand: parameters.texts("expand"),
    at: Math.floor(deps.clock.now() / 1000),
    links: linksAt(authority === "secret" ? (deps.publicUrl ?? origin) : origin),
  };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

async function formText(c: Context<Env>): Promise<string> {
  if (c.req.method !== "POST") return new URL(c.req.url).search.slice(1);
  const body = await c.req.text();
  const type = c.req.header("content-type") ?? "";
  if (body !== "" && !type.startsWith("application/x-www-form-urlencoded")) {
    throw invalidRequest(
      "Invalid request (check that your POST content type is application/x-www-form-urlencoded). " +
        "If you have questions, see https://docs.stripe.com/api.",
    );
  }
  return body;
}
