// What of an answer is compared, and the differences from PostgREST 12.0.2 that we keep, each with its reason.
import type { Exchange, Sides } from "./sides.ts";

export interface Observed {
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
  /** Whether it explains how these two answers differ. */
  readonly explains: (pair: Pair, exchange: Exchange) => boolean;
  /** What is left to compare once it is taken away; by default nothing. */
  readonly without?: (observed: Observed) => Observed;
}

const bothAnswer = ({ ours, postgrest }: Pair, status: number, code: string): boolean =>
  ours.status === status && postgrest.status === status && ours.body?.code === code;

const withoutBody = (observed: Observed): Observed => ({
  ...observed,
  body: { code: observed.body?.code },
});

const DIFFERENCES: readonly Difference[] = [
  {
    why: "the refusal of a query string that cannot be parsed is worded differently",
    explains: (pair) => bothAnswer(pair, 400, "PGRST100"),
    without: withoutBody,
  },
  {
    why: "what follows a whole select list is refused; PostgREST overlooks it and answers something else",
    explains: ({ ours, postgrest }) => ours.body?.code === "PGRST100" && postgrest.status === 200,
  },
  {
    why: "a query that takes too long is the caller's fault here; PostgREST says 500",
    explains: ({ ours, postgrest }) =>
      ours.status === 422 && postgrest.status === 500 && ["57014", "55P03"].includes(ours.body?.code),
  },
  {
    why: "an unknown table never reaches SQL: PGRST205 as PostgREST 13 has it, not PostgreSQL's 42P01",
    explains: (pair) => bothAnswer(pair, 404, "PGRST205"),
  },
  {
    why: "an unknown column of a payload is refused in the words of PostgREST 13",
    explains: (pair) => bothAnswer(pair, 400, "PGRST204"),
    without: withoutBody,
  },
  {
    why: "no near name is guessed when a function is unknown",
    explains: (pair) => bothAnswer(pair, 404, "PGRST202"),
    without: (observed) => ({ ...observed, body: { ...observed.body, hint: null } }),
  },
  {
    why: "paths beyond tables and functions say so (PGRST125, PGRST126), as in PostgREST 13",
    explains: (pair) => bothAnswer(pair, 404, "PGRST125") || bothAnswer(pair, 404, "PGRST126"),
  },
  {
    why: "an unreadable RAISE PGRST says which part is wrong, as in PostgREST 13",
    explains: (pair) => bothAnswer(pair, 500, "PGRST121"),
    without: withoutBody,
  },
  {
    why: "of several wrong values PostgreSQL reports the one it meets first, which depends on the statement",
    explains: ({ ours, postgrest }) =>
      [ours, postgrest].every(({ status, body }) => status === 400 && /^(22|42601)/.test(body?.code)),
    without: (observed) => ({ ...observed, body: "a wrong value" }),
  },
  {
    why: "an embedded resource is compared with null only: PGRST120 of PostgREST 13 instead of an unknown column",
    explains: ({ ours, postgrest }) => ours.body?.code === "PGRST120" && postgrest.body?.code === "42703",
  },
  {
    why: "what cannot be produced is 406, as HTTP and later PostgREST have it, not 415",
    explains: ({ ours, postgrest }) => ours.status === 406 && postgrest.status === 415,
    without: (observed) => ({ ...observed, status: 406 }),
  },
  {
    why: "a name given twice in the query string stays apart in Content-Location, and `;` separates nothing",
    explains: ({ ours, postgrest }) =>
      ours.headers["content-location"] !== postgrest.headers["content-location"],
    without: ({ headers, ...observed }) => ({
      ...observed,
      headers: { ...headers, "content-location": null },
    }),
  },
  {
    why: "embedded rows are json, whose text PostgREST 12.0 spaces like jsonb; only CSV shows it",
    explains: ({ ours }) => ours.headers["content-type"]?.startsWith("text/csv") === true,
    without: (observed) => ({ ...observed, body: String(observed.body).replaceAll(/\s/g, "") }),
  },
  {
    why: "PUT, which supabase-js cannot say, is not supported",
    explains: ({ ours, postgrest }) =>
      postgrest.headers.allow?.includes("PUT") === true && !ours.headers.allow?.includes("PUT"),
    without: ({ headers, ...observed }) => ({
      ...observed,
      headers: { ...headers, allow: headers.allow?.replace("PUT,", "") ?? null },
    }),
  },
  {
    why: "OPTIONS names no arguments, so it is answered for any overload of a function",
    explains: ({ ours, postgrest }, { method }) =>
      method === "OPTIONS" && postgrest.status === 404 && ours.status === 200,
  },
  {
    why: "a function's rows may be ordered and filtered by columns that are not selected",
    explains: ({ ours, postgrest }, { path }) =>
      path.startsWith("/rpc/") && postgrest.body?.code === "42703" && ours.status === 200,
  },
  {
    why: "a single scalar is itself, not an object with PostgREST's internal column",
    explains: ({ ours, postgrest }) =>
      "pgrst_scalar" in Object(postgrest.body) && postgrest.body.pgrst_scalar === ours.body,
  },
];

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

/** Both answers, less what a kept difference explains. */
export async function compare(sides: Sides, exchange: Exchange): Promise<Pair> {
  const [postgrest, ours] = await Promise.all([sides.postgrest(exchange), sides.ours(exchange)]);
  let pair: Pair = { postgrest: await observe(postgrest), ours: await observe(ours) };
  for (const { explains, without } of DIFFERENCES) {
    if (!explains(pair, exchange)) continue;
    if (without === undefined) return { postgrest: pair.ours, ours: pair.ours };
    pair = { postgrest: without(pair.postgrest), ours: without(pair.ours) };
  }
  return pair;
}

async function observe(response: Response): Promise<Observed> {
  const headers = Object.fromEntries(HEADERS.map((name) => [name, decoded(response.headers.get(name))]));
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") && text !== "";
  return { status: response.status, headers, body: isJson ? JSON.parse(text) : text };
}

/** Addresses may escape more or fewer characters. */
const decoded = (value: string | null): string | null =>
  value?.startsWith("/") ? decodeURIComponent(value.replaceAll("+", " ")) : value;
