// From the database's answer to the HTTP response: status, Content-Range, Location, applied preferences, and what SQL set
// through response.status and response.headers.
import { badRange, badResponseHeaders, badResponseStatus, errorBody } from "./errors.ts";
import { appliedPreferences } from "./parse/preferences.ts";
import { contentRange, rangeStatus } from "./parse/range.ts";
import type { ApiRequest } from "./parse/request.ts";
import type { Answer, ExecutablePlan } from "./sql/statement.ts";

interface Draft {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Undefined where the answer has no body; then it has no Content-Type either. */
  readonly body: string | undefined;
}

/** An offset beyond the end answers with PGRST103. Throws PGRST111 and PGRST112 for wrong settings. */
export function respond(plan: ExecutablePlan, request: ApiRequest, answer: Answer): Response {
  const draft = plan.kind === "mutate" ? writeDraft(plan, request, answer) : readDraft(plan, request, answer);
  const headers = new Headers();
  for (const [name, value] of Object.entries(draft.headers)) {
    if (value !== undefined) headers.set(name, value);
  }
  if (draft.body !== undefined) {
    headers.set("content-type", request.media.contentType);
    if (request.profile !== undefined) headers.set("content-profile", request.profile);
  }
  const given = responseHeaders(answer.headers);
  // What SQL says stands in place of ours: two Content-Types in one would be none. It may say a name more than once.
  for (const [name] of given) headers.delete(name);
  for (const [name, value] of given) headers.append(name, value);
  const status = responseStatus(answer.status) ?? draft.status;
  const mayHaveBody = ![204, 205, 304].includes(status);
  return new Response(mayHaveBody ? draft.body : null, { status, headers });
}

function readDraft(plan: ExecutablePlan, request: ApiRequest, { total, rows, body }: Answer): Draft {
  const { offset } = request.range;
  const known = total ?? undefined;
  const status = rangeStatus(offset, rows, known);
  const headers = {
    "content-range": contentRange(offset, offset + rows - 1, known),
    "preference-applied": appliedPreferences(request.preferences, ["count", "handling", "maxAffected"]),
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

function writeDraft(
  { mutation }: Extract<ExecutablePlan, { kind: "mutate" }>,
  { preferences, query, target }: ApiRequest,
  { rows, body, location, updated }: Answer,
): Draft {
  const total = preferences.count === "exact" || preferences.count === "estimated" ? rows : undefined;
  const upserts = mutation.table.primaryKey.length > 0 || query.onConflict !== undefined;
  const full = preferences.return === "representation";
  const isInsert = mutation.kind === "insert";
  const onlyMerged = preferences.resolution === "merge-duplicates" && rows <= updated;
  const applicable = ["return", "count", "handling", "maxAffected"] as const;
  return {
    status: isInsert && !onlyMerged ? 201 : full || isInsert ? 200 : 204,
    headers: {
      "content-range": mutation.kind === "update" ? contentRange(0, rows - 1, total) : `*/${total ?? "*"}`,
      location:
        location && location.length > 0
          ? `/${encodeURIComponent(target.name)}?${location.map(encodePair).join("&")}`
          : undefined,
      "preference-applied": appliedPreferences(preferences, [
        ...applicable,
        ...(mutation.kind === "delete" ? [] : (["missing"] as const)),
        ...(isInsert && upserts ? (["resolution"] as const) : []),
      ]),
    },
    body: full ? body : undefined,
  };
}

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
