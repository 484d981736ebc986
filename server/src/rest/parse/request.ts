// The request before the schema is known: its path, method, headers, query string and body as one value.
import {
  badMethodOnFunction,
  badPath,
  limitWithPut,
  schemaNotExposed,
  unsupportedMethod,
} from "../errors.ts";
import type { RestSettings } from "../settings.ts";
import { checkBounds } from "./bounds.ts";
import { parseAccept, type Accepted } from "./media.ts";
import { readPayload, type Payload } from "./payload.ts";
import { parsePreferences, type Preferences } from "./preferences.ts";
import { parseQuery, type Query } from "./query.ts";
import { ALL_ROWS, narrowByHeader, type Range } from "./range.ts";

export type Mutation = "insert" | "update" | "upsert" | "delete";

type Action =
  | { readonly kind: "read"; readonly headersOnly: boolean }
  | { readonly kind: "mutate"; readonly mutation: Mutation; readonly payload: Payload }
  | {
      readonly kind: "call";
      readonly byGet: boolean;
      readonly headersOnly: boolean;
      readonly payload: Payload | undefined;
    }
  | { readonly kind: "inspect"; readonly headersOnly: boolean }
  | { readonly kind: "describe" };

interface Target {
  readonly kind: "table" | "function" | "root";
  readonly name: string;
}

export interface ApiRequest {
  readonly action: Action;
  readonly target: Target;
  /** The exposed schema it targets. */
  readonly schema: string;
  readonly query: Query;
  /** The rows requested of the resource itself. */
  readonly range: Range;
  readonly preferences: Preferences;
  readonly accepted: readonly Accepted[];
  /** The schema that the response names; only set where there was a choice of schemas. */
  readonly profile: string | undefined;
  /** The query string in a canonical order, for Content-Location. */
  readonly canonicalQuery: string;
}

const NO_PAYLOAD: Payload = { text: "[]", keys: [], isObject: false, mediaType: "application/json" };

/** Throws a RestError of PostgREST's group 1. */
export async function parseRequest(request: Request, settings: RestSettings): Promise<ApiRequest> {
  const url = new URL(request.url);
  const target = parseTarget(url.pathname);
  const profile = parseProfile(request, settings);
  checkMethod(request.method, target.kind); // before the query string, whose meaning depends on the method
  const isCall = target.kind === "function" && ["GET", "HEAD"].includes(request.method);
  const query = parseQuery(url.search, isCall);
  checkBounds(query);
  const action = await parseAction(request, target.kind, query);
  const range = query.ranges.find(({ embed }) => embed.length === 0)?.part ?? ALL_ROWS;
  if (action.kind === "mutate" && action.mutation === "upsert" && query.ranges.length > 0)
    throw limitWithPut();
  return {
    action,
    target,
    schema: profile ?? settings.schemas[0]!,
    query,
    range: request.method === "GET" ? narrowByHeader(range, request.headers.get("range")) : range,
    preferences: parsePreferences(request.headers.get("prefer"), settings.txEnd.endsWith("allow-override")),
    accepted: parseAccept(request.headers.get("accept")),
    profile,
    canonicalQuery: canonical(url.searchParams),
  };
}

function parseTarget(path: string): Target {
  const parts = path.split("/").slice(1).map(decode);
  if (parts.length === 1 && parts[0] === "") return { kind: "root", name: "" };
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

function parseProfile(request: Request, { schemas }: RestSettings): string | undefined {
  const writes = ["POST", "PATCH", "PUT", "DELETE"].includes(request.method);
  const profile = request.headers.get(writes ? "content-profile" : "accept-profile");
  if (profile === null) return schemas.length > 1 ? schemas[0] : undefined;
  // Node gives header values as Latin-1.
  const name = Buffer.from(profile, "latin1").toString("utf8");
  if (!schemas.includes(name)) throw schemaNotExposed(name, schemas);
  return name;
}

function checkMethod(method: string, target: Target["kind"]): void {
  if (["GET", "HEAD", "OPTIONS"].includes(method)) return;
  if (target === "function" && method !== "POST") throw badMethodOnFunction(method);
  if (target === "root" || !Object.hasOwn(MUTATIONS, method)) throw unsupportedMethod(method);
}

async function parseAction(request: Request, target: Target["kind"], query: Query): Promise<Action> {
  const { method } = request;
  if (method === "OPTIONS") return { kind: "describe" };
  const headersOnly = method === "HEAD";
  const reads = method === "GET" || headersOnly;
  const columns = method === "PUT" ? undefined : query.columns;
  const payload = () => readPayload(request, columns, target === "function");
  if (target === "root") return { kind: "inspect", headersOnly };
  if (target === "function")
    return { kind: "call", byGet: reads, headersOnly, payload: reads ? undefined : await payload() };
  if (reads) return { kind: "read", headersOnly };
  const mutation = MUTATIONS[method as keyof typeof MUTATIONS];
  return { kind: "mutate", mutation, payload: mutation === "delete" ? NO_PAYLOAD : await payload() };
}

const MUTATIONS = {
  POST: "insert",
  PATCH: "update",
  PUT: "upsert",
  DELETE: "delete",
} as const satisfies Record<string, Mutation>;

function canonical(parameters: URLSearchParams): string {
  if (parameters.size === 0) return "";
  const sorted = [...parameters].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`).join("&");
}
