// Which parts of an answer are compared, and the differences from PostgREST 12.0.2 that we keep, each with its reason. We
// follow 14's texts and statuses. What 14 words differently is compared word by word with 14's own text.
import { isDeepStrictEqual } from "node:util";
import type { Exchange, Sides } from "./sides.ts";

interface Observed {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | null>>;
  readonly body: any;
}

export interface Pair {
  readonly postgrest: Observed;
  readonly ours: Observed;
}

interface Difference {
  readonly why: string;
  /** Whether this difference explains how the two answers differ. */
  readonly explains: (pair: Pair, exchange: Exchange) => boolean;
  /** What 14 answers where 12 gives this answer. Ours must equal it; where it is `ours`, version-14.test.ts has the correct rows. */
  readonly in14?: (postgrest: Observed, pair: Pair, exchange: Exchange) => Observed;
  /** What is left of either answer to compare once the difference is removed. */
  readonly without?: (observed: Observed) => Observed;
}

const coded = (status: number, code: string, postgrest = code) => {
  return ({ ours, postgrest: theirs }: Pair): boolean =>
    ours.status === status && ours.body?.code === code && theirs.body?.code === postgrest;
};

const withBody =
  (status: number, change: (body: any, pair: Pair, exchange: Exchange) => object) =>
  (observed: Observed, pair: Pair, exchange: Exchange): Observed => ({
    ...observed,
    status,
    body: { ...observed.body, ...change(observed.body, pair, exchange) },
  });

const tableOf = ({ path }: Exchange) => decodeURIComponent(/^\/([^/?]*)/.exec(path)?.[1] ?? "");

const DIFFERENCES: readonly Difference[] = [
  {
    why: "14: no object can be made of several rows, or of none",
    explains: coded(406, "PGRST116"),
    in14: withBody(406, () => ({ message: "Cannot coerce the result to a single JSON object" })),
  },
  {
    why: "14: a schema that is not exposed",
    explains: coded(406, "PGRST106"),
    in14: withBody(406, (_body, _pair, { headers = {} }) => ({
      message: `Invalid schema: ${headers["accept-profile"] ?? headers["content-profile"]}`,
      hint: "Only the following schemas are exposed: public, annex",
    })),
  },
  {
    why: "14: a table that is not there never reaches SQL; its hint is tested apart",
    explains: ({ ours, postgrest }) =>
      ours.body?.code === "PGRST205" && ["42P01", "PGRST200", "PGRST105"].includes(postgrest.body?.code),
    in14: withBody(404, (_body, { ours }, exchange) => ({
      code: "PGRST205",
      message: `Could not find the table 'public.${tableOf(exchange)}' in the schema cache`,
      details: null,
      hint: ours.body.hint,
    })),
  },
  {
    why: "14: the same for OPTIONS and for a payload of such a table",
    explains: ({ ours, postgrest }) =>
      ours.body?.code === "PGRST205" && postgrest.status === 404 && !postgrest.body?.code,
    without: ({ status }) => ({ status, headers: {}, body: null }),
  },
  {
    why: "14: a payload's column that is not there",
    explains: coded(400, "PGRST204"),
    in14: withBody(400, (_body, { ours }, exchange) => ({
      message: `Could not find the '${/'(.*?)'/.exec(ours.body.message)?.[1]}' column of '${tableOf(exchange)}' in the schema cache`,
    })),
  },
  {
    why: "14: names are hinted at only where they are near, so as not to list them",
    explains: coded(404, "PGRST202"),
    in14: withBody(404, (body, { ours }) => (ours.body.hint === null ? { hint: null } : body)),
  },
  {
    why: "14: paths beyond tables and functions say so",
    explains: ({ ours, postgrest }) => ours.body?.code === "PGRST125" && postgrest.status === 404,
    in14: (observed, { ours }) => ({ ...observed, headers: ours.headers, body: INVALID_PATH }),
  },
  {
    why: "14: the root can only be read",
    explains: ({ ours, postgrest }, { path }) =>
      path === "/" && ours.body?.code === "PGRST117" && postgrest.status === 404,
    in14: (observed, _pair, { method }) => ({
      ...observed,
      status: 405,
      body: { code: "PGRST117", message: `Unsupported HTTP method: ${method}`, details: null, hint: null },
    }),
  },
  {
    why: "14: an order holds for what a write returns too",
    explains: ({ ours, postgrest }, { path, method }) =>
      method !== undefined &&
      path.includes("order=") &&
      Array.isArray(ours.body) &&
      Array.isArray(postgrest.body),
    without: (observed) => ({
      ...observed,
      body: (observed.body as unknown[]).map((row) => JSON.stringify(row)).toSorted(),
    }),
  },
  {
    why: "14: an unreadable RAISE PGRST says which part is wrong",
    explains: coded(500, "PGRST121"),
    in14: withBody(500, (_body, { ours }) => ({
      message: `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`,
      details: ours.body.details,
      hint: ours.body.hint,
    })),
  },
  {
    why: "14: an embedded resource is compared with null only",
    explains: coded(400, "PGRST120", "42703"),
    in14: (observed, { ours }, { path }) => ({
      ...observed,
      body: {
        code: "PGRST120",
        message: `Bad operator on the '${/[&?](\w+)=(?:eq|is)/.exec(path)?.[1]}' embedded resource`,
        details: "Only is null or not is null filters are allowed on embedded resources",
        hint: ours.body.hint,
      },
    }),
  },
  {
    why: "14: what cannot be produced is 406, not 415",
    explains: coded(406, "PGRST107"),
    in14: (observed) => ({ ...observed, status: 406 }),
  },
  {
    why: "14: statuses of limits and of a subquery with several rows",
    explains: ({ ours, postgrest }) =>
      ["21000", "53400", "54000", "42P17"].includes(ours.body?.code) &&
      ours.body?.code === postgrest.body?.code,
    in14: (observed) => ({ ...observed, status: 500 }),
  },
  {
    why: "14: to-many resources can be spread",
    explains: ({ ours, postgrest }) => ours.status === 200 && postgrest.body?.code === "PGRST119",
    in14: (_observed, { ours }) => ours,
  },
  {
    why: "14: a function's rows may be ordered and filtered by columns that are not selected",
    explains: ({ ours, postgrest }, { path }) =>
      path.startsWith("/rpc/") && postgrest.body?.code === "42703" && ours.status === 200,
    in14: (_observed, { ours }) => ours,
  },
  {
    why: "the parser's expectation is worded differently; place and code are the same",
    explains: coded(400, "PGRST100"),
    without: (observed) => ({
      ...observed,
      body: { code: observed.body.code, message: observed.body.message, hint: observed.body.hint },
    }),
  },
  {
    why: "CSV that cannot be read is refused alike; where its parser stood differs",
    explains: ({ ours, postgrest }) =>
      [ours, postgrest].every(
        ({ status, body }) => status === 400 && /^parse error \((?!not enough)/.test(body?.message),
      ),
    without: ({ body, ...observed }) => ({ ...observed, body: body.code }),
  },
  {
    why: "media types have no case, and an empty list of them asks for none (RFC 9110); PostgREST has neither",
    explains: ({ ours, postgrest }, { headers = {} }) =>
      ours.status === 200 &&
      postgrest.body?.code === "PGRST107" &&
      ["", "APPLICATION/JSON"].includes(headers["accept"] ?? "*/*"),
    in14: (_observed, { ours }) => ours,
  },
  {
    why: "a key in a JSON path is a text to us, a literal without a type to PostgREST; only this error says so",
    explains: coded(404, "42883"),
    in14: withBody(404, ({ message }) => ({ message: message.replace("-> unknown", "-> text") })),
  },
  {
    why: "a PUT without a row does not match its address; PostgREST asks for columns of nothing",
    explains: coded(400, "PGRST115", "42703"),
    in14: (observed) => ({
      ...observed,
      body: {
        ...observed.body,
        code: "PGRST115",
        message: "Payload values do not match URL in primary key column(s)",
      },
    }),
  },
  {
    why: "14: aggregates are handed on through several spreads; and spreading nothing adds nothing",
    explains: ({ ours, postgrest }, { path }) =>
      ours.status === 200 &&
      ["42703", "42601"].includes(postgrest.body?.code) &&
      /\.\.\.projects\(\.\.\.|\(\)/.test(path),
    in14: (_observed, { ours }) => ours,
  },
  {
    why: "a query that takes too long is the caller's fault here; PostgREST says 500",
    explains: ({ ours, postgrest }) =>
      ours.status === 422 && postgrest.status === 500 && ["57014", "55P03"].includes(ours.body?.code),
    in14: (observed) => ({ ...observed, status: 422 }),
  },
  {
    why: "of several wrong values PostgreSQL reports the one it meets first, which depends on the statement",
    explains: ({ ours, postgrest }, exchange) => {
      const sent = decodeURIComponent(exchange.path) + JSON.stringify(exchange.body ?? "");
      return [ours, postgrest].every(({ status, body }) => {
        const value = status === 400 && /^(22P02|42601)$/.test(body?.code) && /: "(.*)"$/.exec(body.message);
        return value && sent.includes(value[1]!);
      });
    },
    in14: (observed, { ours: { body } }) => ({
      ...observed,
      body: { ...observed.body, code: body.code, message: body.message },
    }),
  },
  {
    why: "a name given twice in the query string stays apart in Content-Location, and `;` separates nothing",
    explains: ({ ours, postgrest }, { path }) =>
      ours.headers["content-location"] !== postgrest.headers["content-location"] && isOdd(path),
    without: ({ headers, ...observed }) => ({
      ...observed,
      headers: { ...headers, "content-location": null },
    }),
  },
  {
    why: "the head of a write's CSV names the columns that are answered; PostgREST names those it wrote",
    explains: ({ ours }, { method, path }) =>
      method !== undefined &&
      path.includes("select=") &&
      ours.headers["content-type"]?.startsWith("text/csv") === true,
    without: (observed) => ({ ...observed, body: String(observed.body).replace(/^[^\n]*\n/, "") }),
  },
  {
    why: "embedded rows are json, whose text PostgREST 12.0 spaces like jsonb; only CSV shows it",
    explains: ({ ours }) => ours.headers["content-type"]?.startsWith("text/csv") === true,
    without: (observed) => ({ ...observed, body: String(observed.body).replaceAll(/\s/g, "") }),
  },
  {
    why: "a single scalar is itself, not an object with PostgREST's internal column",
    explains: ({ ours, postgrest }) =>
      "pgrst_scalar" in Object(postgrest.body) && isDeepStrictEqual(postgrest.body.pgrst_scalar, ours.body),
    in14: (observed, { ours }) => ({ ...observed, body: ours.body }),
  },
  {
    why: "14: the OpenAPI document names its own version, no preference that is gone, and GET for functions that write nothing only",
    explains: ({ ours, postgrest }) => ours.body?.swagger === "2.0" && postgrest.body?.swagger === "2.0",
    without: ({ body, ...observed }) => ({ ...observed, body: versionless(body) }),
  },
  {
    why: "a plan is of our statement, and 14 names what it is for in its text",
    explains: ({ ours, postgrest }) =>
      [ours, postgrest].every(({ headers }) => headers["content-type"]?.includes("vnd.pgrst.plan")),
    without: (observed) => ({ ...observed, body: typeof observed.body }),
  },
];

/**
 * Removes what depends on the version and the address from the OpenAPI document. 12.0.2 also formats row filters, does not
 * mark a one-to-one key as such (both fixed since), and keeps only one of several overloads.
 */
function versionless({ info: _1, externalDocs: _2, host: _3, basePath: _4, ...document }: any): object {
  const { preferParams: _gone, ...parameters } = document.parameters;
  const { "/rpc/overloaded": _overloads, ...paths } = document.paths;
  const { profiles: _oneToOne, ...definitions } = document.definitions;
  return {
    ...document,
    definitions,
    parameters: mapValues(parameters, ({ format: _format, ...parameter }) => parameter),
    paths: mapValues(paths, ({ get, ...path }) =>
      "post" in path && !("patch" in path) ? path : { get, ...path },
    ),
  };
}

const mapValues = (object: object, change: (value: any) => unknown): object =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

const INVALID_PATH = {
  code: "PGRST125",
  message: "Invalid path specified in request URL",
  details: null,
  hint: null,
};

/** Repeated names, separators, more than one way to write a space, and letters that PostgREST truncates to a byte. */
const isOdd = (path: string): boolean => {
  const names = [...path.matchAll(/[?&]([^=&]+)=/g)].map(([, name]) => name);
  return new Set(names).size < names.length || /[;+\u0080-\uffff]|%20|%[89a-f]/i.test(path);
};

const HEADERS = [
  ...[
    "content-type",
    "content-range",
    "content-location",
    "content-profile",
    "location",
    "preference-applied",
  ],
  ...["allow", "x-tea", "cache-control", "x-powered-by", "www-authenticate"],
];

/** Both answers, without what a kept difference explains. Equal answers need no explanation. */
export async function compare(sides: Sides, exchange: Exchange): Promise<Pair> {
  const [postgrest, ours] = await Promise.all([sides.postgrest(exchange), sides.ours(exchange)]);
  let pair: Pair = { postgrest: await observe(postgrest), ours: await observe(ours) };
  for (const { explains, in14, without } of DIFFERENCES) {
    if (isDeepStrictEqual(pair.ours, pair.postgrest)) break;
    if (!explains(pair, exchange)) continue;
    if (in14) pair = { ...pair, postgrest: in14(pair.postgrest, pair, exchange) };
    if (without) pair = { postgrest: without(pair.postgrest), ours: without(pair.ours) };
  }
  return pair;
}

async function observe(response: Response): Promise<Observed> {
  const headers = Object.fromEntries(HEADERS.map((name) => [name, decoded(response.headers.get(name))]));
  const type = response.headers.get("content-type")?.split(";")[0] ?? "";
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString(type.includes("octet-stream") ? "hex" : "utf8");
  const isJson = type.endsWith("json") && text !== "";
  return { status: response.status, headers, body: isJson ? JSON.parse(text) : text };
}

/** Addresses may escape more or fewer characters. */
const decoded = (value: string | null): string | null =>
  value?.startsWith("/") ? decodeURIComponent(value.replaceAll("+", " ")) : value;
