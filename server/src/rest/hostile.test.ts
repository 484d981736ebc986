// Hostile or senseless input in every position of a request: the answer is a refusal or an empty result, never a 5xx, and
// nothing else is read or written.
import fc from "fast-check";
import { expect, test } from "vitest";
import { CONFORMANCE_TABLES, openRest } from "../../testing/rest.ts";
import { CALLERS, contextOf } from "../../testing/conformance/sides.ts";

const { db, rest } = await openRest(CONFORMANCE_TABLES);

const ask = (path: string, init: RequestInit = {}) =>
  rest.fetch(new Request(`http://localhost${path}`, init), contextOf(CALLERS.anon));

const HARM = [
  "1",
  "-",
  "4294967296",
  "'",
  '"',
  "\\",
  "\\'",
  '\\"',
  "''",
  '""',
  "$1",
  "$$",
  "%",
  "%%",
  "--",
  "/*",
  "*/",
  ";",
  "\0",
  "\u0000'",
  "\n",
  "\r\n",
  "'; drop table clients; --",
  '"; drop table clients; --',
  "1) or (1=1",
  "x' or '1'='1",
  'id"; select pg_sleep(9); --',
  "E'\\x27'",
  "name from clients; delete from clients; --",
  "clients,secrets",
  "*",
  "->",
  "->>",
  "::",
  "!",
  "..",
  "...",
  "(",
  ")",
  "()",
  "((((",
  "{",
  "}",
  "[",
  "]",
  ",",
  ".",
  ":",
  "null",
  "NaN",
  "Infinity",
  "-0",
  "1e999",
  "0x10",
  "99999999999999999999999999",
  "__proto__",
  "constructor",
  "toString",
  "ctid",
  "xmin",
  "tableoid",
  "pg_sleep(1)",
  "\u{1F3B5}",
  "\ud800",
  "é",
  "ﬀ",
  "\u202e",
  "a".repeat(3000),
  "(".repeat(2000),
  "and(".repeat(500),
  "a(".repeat(500),
];
const harm = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HARM) },
  fc.string({ unit: fc.constantFrom(..."ab1'\"\\;:,.()[]{}!*->$%&|#@~^ \n\0\u00e9"), maxLength: 12 }),
  fc.tuple(fc.constantFrom(...HARM), fc.constantFrom(...HARM)).map(([a, b]) => `${a}x${b}`),
);
const encode = (text: string) => encodeURIComponent(text.toWellFormed());

const POSITIONS: Readonly<Record<string, (text: string) => string>> = {
  "a table": (text) => `/${encode(text)}`,
  "a function": (text) => `/rpc/${encode(text)}?a=1`,
  "an argument's name": (text) => `/rpc/greet?${encode(text)}=1`,
  "an argument": (text) => `/rpc/greet?name=${encode(text)}`,
  "a typed argument": (text) => `/rpc/typed?t=${encode(text)}&u=${encode(text)}&m=ok&c=x`,
  select: (text) => `/clients?select=${encode(text)}`,
  "a selected column": (text) => `/clients?select="${encode(text)}"`,
  "an alias": (text) => `/clients?select=${encode(text)}:id`,
  "a quoted alias": (text) => `/clients?select="${encode(text.replaceAll(/["\\]/g, "\\$&"))}":id`,
  "a cast": (text) => `/clients?select=id::${encode(text)}`,
  "a JSON path": (text) => `/samples?select=jb->${encode(text)}`,
  "a hint": (text) => `/clients?select=projects!${encode(text)}(id)`,
  "an embedded alias": (text) =>
    `/clients?select="${encode(text.replaceAll(/["\\]/g, "\\$&"))}":projects(id)`,
  "a filtered column": (text) => `/clients?${encode(text)}=eq.1`,
  "an operator": (text) => `/clients?id=${encode(text)}.1`,
  "a filter": (text) => `/clients?id=${encode(text)}`,
  "a value": (text) => `/samples?t=eq.${encode(text)}`,
  "a number": (text) => `/samples?n=eq.${encode(text)}`,
  "a pattern": (text) => `/samples?t=like.${encode(text)}`,
  "a regular expression": (text) => `/samples?t=match.${encode(text)}`,
  "a list": (text) => `/samples?t=in.(${encode(text)})`,
  "an array": (text) => `/samples?tags=cs.${encode(text)}`,
  "a quantified list": (text) => `/samples?t=like(any).${encode(text)}`,
  "a search": (text) => `/samples?v=fts.${encode(text)}`,
  "a search language": (text) => `/samples?v=fts(${encode(text)}).x`,
  "a logic tree": (text) => `/clients?or=${encode(text)}`,
  "a member of a logic tree": (text) => `/clients?or=(id.eq.1,${encode(text)})`,
  order: (text) => `/clients?order=${encode(text)}`,
  "an order's column": (text) => `/clients?order="${encode(text.replaceAll(/["\\]/g, "\\$&"))}".desc`,
  limit: (text) => `/clients?limit=${encode(text)}`,
  offset: (text) => `/clients?offset=${encode(text)}`,
  "an embedded limit": (text) => `/clients?select=projects(id)&${encode(text)}.limit=1`,
};

test.each(Object.entries(POSITIONS))("survives anything in %s", async (_, path) => {
  const before = await contents();
  await fc.assert(
    fc.asyncProperty(harm, async (text) => {
      const response = await ask(path(text));
      expect(response.status, await response.clone().text()).toBeLessThan(500);
    }),
    { numRuns: 150, examples: HARM.map((text) => [text]) },
  );
  expect(await contents()).toEqual(before);
});

const HEADERS = ["prefer", "range", "accept", "accept-profile", "content-type"];

test.each(HEADERS)("survives anything in the header %s", async (name) => {
  await fc.assert(
    fc.asyncProperty(harm, async (text) => {
      const value = text.toWellFormed().replaceAll(/[^\x20-\x7e]/g, "?");
      const method = name === "content-type" ? "POST" : "GET";
      const body = method === "POST" ? "{}" : null;
      const response = await ask("/clients", { method, headers: { [name]: value }, body });
      expect(response.status).toBeLessThan(500);
    }),
    { numRuns: 150, examples: HARM.map((text) => [text]) },
  );
});

const WRITES: Readonly<Record<string, (text: string) => [path: string, init: RequestInit]>> = {
  "a body": (text) => ["/drafts", { method: "POST", body: text }],
  "a key": (text) => ["/drafts", { method: "POST", body: JSON.stringify({ [text]: 1 }) }],
  "a written value": (text) => [
    "/drafts",
    { method: "POST", body: JSON.stringify({ title: text, code: text }) },
  ],
  columns: (text) => [`/drafts?columns=${encode(text)}`, { method: "POST", body: "{}" }],
  on_conflict: (text) => [
    `/languages?on_conflict=${encode(text)}`,
    { method: "POST", body: '{"name":"C"}', headers: { prefer: "resolution=merge-duplicates" } },
  ],
  "a changed value": (text) => [
    "/clients?id=eq.-1",
    { method: "PATCH", body: JSON.stringify({ name: text }) },
  ],
  "a delete's filter": (text) => [`/clients?id=eq.${encode(text)}a`, { method: "DELETE" }],
  "a function's body": (text) => ["/rpc/greet", { method: "POST", body: text }],
  "a function's key": (text) => ["/rpc/greet", { method: "POST", body: JSON.stringify({ [text]: 1 }) }],
  "a function's value": (text) => ["/rpc/greet", { method: "POST", body: JSON.stringify({ name: text }) }],
  "a raw body": (text) => ["/rpc/echo_json", { method: "POST", body: text }],
};

test.each(Object.entries(WRITES))("survives anything in %s", async (_, write) => {
  const before = await contents();
  await fc.assert(
    fc.asyncProperty(harm, async (text) => {
      const [path, init] = write(text.toWellFormed());
      const headers = new Headers(init.headers);
      headers.set("content-type", "application/json");
      const response = await ask(path, { ...init, headers });
      expect(response.status, await response.clone().text()).toBeLessThan(500);
    }),
    { numRuns: 150, examples: HARM.map((text) => [text]) },
  );
  expect(await contents()).toEqual(before);
});

test("binds what a request says and quotes what it names", async () => {
  const title = `'); delete from clients; --"\\$1`;
  const headers = { "content-type": "application/json", prefer: "return=representation" };
  const written = await ask("/drafts", { method: "POST", headers, body: JSON.stringify({ title }) });
  expect(await written.json()).toMatchObject([{ title }]);
  const found = await ask(`/drafts?select=title&title=eq.${encode(title)}`);
  expect(await found.json()).toEqual([{ title }]);
});

test("does not reach other schemas through a name", async () => {
  for (const name of [
    "auth.users",
    "pg_catalog.pg_class",
    "pg_authid",
    "information_schema.tables",
    '"auth"."users"',
  ]) {
    expect((await ask(`/${encode(name)}`)).status).toBe(404);
  }
  expect((await ask("/rpc/pg_sleep?_=1")).status).toBe(404);
  expect((await ask("/rpc/set_config", { method: "POST", body: "{}" })).status).toBe(404);
});

/** The tables that no request above may change. */
async function contents(): Promise<unknown> {
  const { rows } = await db.database
    .asService("tests look at everything")
    .query(
      "select (select json_agg(c) from clients c) as clients, (select json_agg(s) from secrets s) as secrets",
    );
  return rows;
}
