// From the database's result to the HTTP response: status, Content-Range, Location, applied preferences, and what SQL set
// through response.status and response.headers.
import { badRange, badResponseHeaders, badResponseStatus, errorBody } from "./errors.ts";
import { appliedPreferences } from "./parse/preferences.ts";
import { contentRange, rangeStatus } from "./parse/range.ts";
import type { ApiRequest } from "./parse/request.ts";
import type { Prepared } from "./execute.ts";
import type { Answer, ExecutablePlan } from "./sql/statement.ts";

interface Draft {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Undefined where the response has no body; then it has no Content-Type either. */
  readonly body: string | Buffer | undefined;
}

/** The response before it becomes a Response. Header names are in lower case; headers set by SQL are lists. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Buffer | null;
}

/**
 * An offset beyond the end answers with PGRST103. Throws PGRST111 and PGRST112 if SQL set a malformed header list or
 * status.
 */
export function respond({ plan, request }: Prepared, answer: Answer): HttpAnswer {
  const draft = plan.media.plan
    ? { status: 200, headers: {}, body: answer.body }
    : plan.kind === "mutate"
      ? writeDraft(plan, request, answer)
      : readDraft(plan, request, answer);
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(draft.headers)) {
    if (value !== undefined) headers[name] = value;
  }
  if (draft.body !== undefined) {
    headers["content-type"] = plan.media.contentType;
    if (request.profile !== undefined) headers["content-profile"] = profileText(request.profile);
  }
  // Headers set by SQL replace ours: two values in one Content-Type would be invalid. SQL may set a header more than once.
  const given = Map.groupBy(responseHeaders(answer.headers), ([name]) => name.toLowerCase());
  for (const [name, alike] of given) headers[name] = alike.map(([, value]) => value);
  const status = responseStatus(answer.status) ?? draft.status;
  const mayHaveBody = ![204, 205, 304].includes(status);
  return { status, headers, body: mayHaveBody ? (draft.body ?? null) : null };
}

/**
 * A plain object of headers is written as it is, whereas `Headers` would check and sort them at each step (decision 066).
 */
export function toResponse({ status, headers, body }: HttpAnswer): Response {
  const isPlain = Object.values(headers).every((value) => typeof value === "string");
  const lines = () =>
    Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value) => [name, value]));
  return new Response(body as string | Uint8Array<ArrayBuffer> | null, {
    status,
    headers: isPlain ? (headers as Record<string, string>) : (lines() as [string, string][]),
  });
}

/** Headers are Latin-1, and a schema's name may not be. */
const profileText = (name: string) => Buffer.from(name, "utf8").toString("latin1");

function readDraft(plan: ExecutablePlan, request: ApiRequest, { total, rows, body }: Answer): Draft {
  const { offset } = request.range;
  const known = total ?? undefined;
  const status = rangeStatus(offset, rows, known);
  const applied = [
    ...(["count", "tx", "handling", "timezone"] as const),
    ...(plan.kind === "call" ? (["maxAffected"] as const) : []),
  ];
  const headers = {
    "content-range": contentRange(offset, offset + rows - 1, known),
    "preference-applied": appliedPreferences(request.preferences, applied),
  };
  const content =
    status === 416
      ? errorBody(badRange(`An offset of ${offset} was requested, but there are only ${known} rows.`))
      : body;
  if (plan.kind === "call") {
    return plan.call.routine.returns === "void"
      ? { status: 204, headers, body: undefined }
      : { status, headers, body: content };
  }
  const query = request.canonicalQuery === "" ? "" : `?${request.canonicalQuery}`;
  const location = `/${encodeURIComponent(request.target.name)}${query}`;
  return { status, headers: { ...headers, "content-location": location }, body: content };
}

type Written = Extract<ExecutablePlan, { kind: "mutate" }>;

function writeDraft({ mutation }: Written, request: ApiRequest, answer: Answer): Draft {
  const { preferences, query } = request;
  const { rows, body, updated } = answer;
  const full = preferences.return === "representation";
  const total = preferences.count === "exact" || preferences.count === "estimated" ? rows : undefined;
  const applied = (...more: Parameters<typeof appliedPreferences>[1]) =>
    appliedPreferences(preferences, ["return", "count", "tx", "handling", "timezone", ...more]);
  switch (mutation.kind) {
    case "insert": {
      const upserts = mutation.table.primaryKey.length > 0 || query.onConflict !== undefined;
      const onlyMerged = preferences.resolution === "merge-duplicates" && rows <= updated;
      const headers = {
        "content-range": `*/${total ?? "*"}`,
        location: locationOf(request, answer),
        "preference-applied": applied("missing", ...(upserts ? (["resolution"] as const) : [])),
      };
      return { status: onlyMerged ? 200 : 201, headers, body: full ? body : undefined };
    }
    case "upsert": {
      const headers = { "preference-applied": applied() };
      return full
        ? { status: rows > updated ? 201 : 200, headers, body }
        : { status: 204, headers, body: undefined };
    }
    default: {
      const isUpdate = mutation.kind === "update";
      const headers = {
        "content-range": isUpdate ? contentRange(0, rows - 1, total) : `*/${total ?? "*"}`,
        "preference-applied": applied("maxAffected", ...(isUpdate ? (["missing"] as const) : [])),
      };
      return { status: full ? 200 : 204, headers, body: full ? body : undefined };
    }
  }
}

const locationOf = ({ target }: ApiRequest, { location }: Answer): string | undefined =>
  location && location.length > 0
    ? `/${encodeURIComponent(target.name)}?${location.map(encodePair).join("&")}`
    : undefined;

/** `id=eq.5` as a query string. */
function encodePair(pair: string): string {
  const at = pair.indexOf("=");
  return `${encodeURIComponent(pair.slice(0, at))}=${encodeURIComponent(pair.slice(at + 1))}`;
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A JSON array of objects with one header each. */
function responseHeaders(setting: string | null): (readonly [string, string])[] {
  if (setting === null) return [];
  let list: unknown;
  try {
    list = JSON.parse(setting);
  } catch {
    throw badResponseHeaders();
  }
  if (!Array.isArray(list)) throw badResponseHeaders();
  return list.map((header: unknown) => {
    const entries = Object.entries(Object(header) as Record<string, unknown>);
    const [name, value] = entries[0] ?? [];
    const fits =
      entries.length === 1 &&
      HEADER_NAME.test(name ?? "") &&
      typeof value === "string" &&
      HEADER_VALUE.test(value);
    if (!fits) throw badResponseHeaders();
    return [name!, value] as const;
  });
}

function responseStatus(setting: string | null): number | undefined {
  if (setting === null) return undefined;
  const status = /^\d{3}$/.test(setting) ? Number(setting) : 0;
  if (status < 200 || status > 599) throw badResponseStatus();
  return status;
}
