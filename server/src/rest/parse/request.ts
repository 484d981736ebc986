// What is asked, before the schema is known: the request's path, method, headers, query string and body as one value.
import {
  badMethodOnFunction,
  badPath,
  limitWithoutOrder,
  rootDisabled,
  schemaNotExposed,
  unsupportedMethod,
} from "../errors.ts";
import { checkBounds } from "./bounds.ts";
import { negotiate, type Media } from "./media.ts";
import { parsePayload, type Payload } from "./payload.ts";
import { parsePreferences, type Preferences } from "./preferences.ts";
import { parseQuery, type Query } from "./query.ts";
import { ALL_ROWS, narrowByHeader, type Range } from "./range.ts";

export type Action =
  | { readonly kind: "read"; readonly headersOnly: boolean }
  | { readonly kind: "mutate"; readonly mutation: "insert" | "update" | "delete"; readonly payload: Payload }
  | {
      readonly kind: "call";
      readonly byGet: boolean;
      readonly headersOnly: boolean;
      readonly payload: Payload | undefined;
    }
  | { readonly kind: "describe" };

export interface ApiRequest {
  readonly action: Action;
  readonly target: { readonly kind: "table" | "function"; readonly name: string };
  readonly query: Query;
  /** The rows wanted of the resource itself. */
  readonly range: Range;
  readonly preferences: Preferences;
  readonly media: Media;
  /** The client named the schema, so the answer names it too. */
  readonly profile: string | undefined;
  /** The query string in a canonical order, for Content-Location. */
  readonly canonicalQuery: string;
}

/** The exposed schema. Others answer PGRST106. */
export const SCHEMA = "public";

const NO_PAYLOAD: Payload = { text: "[]", keys: [], isObject: false, mediaType: "application/json" };

/** Throws a RestError of PostgREST's group 1. */
export async function parseRequest(request: Request): Promise<ApiRequest> {
  const url = new URL(request.url);
  const target = parseTarget(url.pathname);
  const profile = parseProfile(request);
  const isCall = target.kind === "function" && (request.method === "GET" || request.method === "HEAD");
  const query = parseQuery(url.search, isCall);
  checkBounds(query);
  const action = await parseAction(request, target.kind, query);
  const range = query.ranges.find(({ embed }) => embed.length === 0)?.part ?? ALL_ROWS;
  const isLimited = query.ranges.some(({ embed }) => embed.length === 0);
  if (action.kind === "mutate" && action.mutation !== "insert" && isLimited && query.orders.length === 0) {
    throw limitWithoutOrder();
  }
  return {
    action,
    target,
    query,
    range: request.method === "GET" ? narrowByHeader(range, request.headers.get("range")) : range,
    preferences: parsePreferences(request.headers.get("prefer")),
    media: negotiate(request.headers.get("accept")),
    profile,
    canonicalQuery: canonical(url.searchParams),
  };
}

function parseTarget(path: string): ApiRequest["target"] {
  const parts = path.split("/").slice(1).map(decode);
  if (parts.length === 1 && parts[0] === "") throw rootDisabled();
  if (parts.length === 1) return { kind: "table", name: parts[0]! };
  if (parts.length === 2 && parts[0] === "rpc" && parts[1]) return { kind: "function", name: parts[1] };
  throw badPath();
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw badPath();
  }
}

function parseProfile(request: Request): string | undefined {
  const writes = ["POST", "PATCH", "PUT", "DELETE"].includes(request.method);
  const profile = request.headers.get(writes ? "content-profile" : "accept-profile") ?? undefined;
  if (profile !== undefined && profile !== SCHEMA) throw schemaNotExposed(SCHEMA);
  return profile;
}

async function parseAction(request: Request, target: "table" | "function", query: Query): Promise<Action> {
  const { method } = request;
  if (method === "OPTIONS") return { kind: "describe" };
  const payload = async () =>
    parsePayload(
      await request.text(),
      request.headers.get("content-type"),
      query.columns,
      target === "function",
    );
  const headersOnly = method === "HEAD";
  if (target === "function") {
    if (method === "POST") return { kind: "call", byGet: false, headersOnly, payload: await payload() };
    if (method === "GET" || headersOnly)
      return { kind: "call", byGet: true, headersOnly, payload: undefined };
    throw badMethodOnFunction(method);
  }
  switch (method) {
    case "GET":
    case "HEAD":
      return { kind: "read", headersOnly };
    case "POST":
      return { kind: "mutate", mutation: "insert", payload: await payload() };
    case "PATCH":
      return { kind: "mutate", mutation: "update", payload: await payload() };
    case "DELETE":
      return { kind: "mutate", mutation: "delete", payload: NO_PAYLOAD };
    default:
      throw unsupportedMethod(method);
  }
}

function canonical(parameters: URLSearchParams): string {
  const sorted = [...parameters].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`).join("&");
}
