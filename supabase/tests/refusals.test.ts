// SQL, the functions and the site refuse with the same codes: those of contract/errors.
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { cartRefusals, functionErrorStatus, raisedHints, raisedStates } from "contract/errors";
import { gateAccessRefusals, gateFlaws, gateRefusals, gateResults } from "contract/gate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";

const root = resolve(import.meta.dirname, "../..");

let db: TestDatabase;
/** The bodies of all our functions. */
let bodies: string;
beforeAll(async () => {
  db = await cloneDatabase();
  const { rows } = await db.database
    .asService("the catalogue is walked")
    .query<{ body: string }>(
      "select prosrc as body from pg_proc where pronamespace = 'public'::regnamespace",
    );
  bodies = rows.map(({ body }) => body).join("\n");
});
afterAll(() => db?.close());

const found = (text: string, pattern: RegExp) =>
  [...new Set(text.matchAll(pattern).map(([, code]) => code!))].sort();

it("carts are refused with exactly the codes that the contract lists", () => {
  expect(found(bodies, /(?:public\.refusal\(|'code', )'(\w+)'/g)).toEqual(cartRefusals);
});

it("no refusal of a cart has a code that is assembled elsewhere", () => {
  const made = bodies.match(/'ok', false/g)?.length;
  const named = bodies.match(/'ok', false, 'code', code|'ok', false,\s+'code', 'waiting_room'/g)?.length;
  expect(made).toBe(named);
});

it("exceptions have exactly the states that the contract lists", () => {
  expect(found(bodies, /errcode = '(\w+)'/g)).toEqual(Object.keys(raisedStates).sort());
  expect(bodies.match(/\braise exception\b/g)).toHaveLength(bodies.match(/\berrcode = '/g)!.length);
});

it("hints that programs read are exactly those that the contract lists", () => {
  // PostgreSQL's own kind of hint is a sentence for people.
  const sentence = /^'[A-Z][^']* [^']*'/;
  const raised = found(bodies, /\bhint = ('[^']*'|\S+)/g).filter((hint) => !sentence.test(hint));
  expect(raised).toEqual([...raisedHints.map((hint) => `'${hint}'`), "coalesce(p_why,"].sort());
});

it("the gate is refused for exactly the reasons that the contract lists", async () => {
  const { rows } = await db.database
    .asService("the catalogue is walked")
    .query<{ body: string }>("select prosrc as body from pg_proc where proname = 'gate_access_lost'");
  const lost = found(rows[0]!.body, /(?:then|else) '(\w+)'/g);
  const named = found(bodies, /refuse_gate_access\('(\w+)'\)/g);
  const usual = found(bodies, /\bhint = coalesce\(p_why, '(\w+)'\)/g);
  expect([...new Set([...lost, ...named, ...usual])].sort()).toEqual([...gateAccessRefusals].sort());
});

describe("a scan is refused for exactly the reasons that the contract lists", () => {
  const read = async (what: string): Promise<string> => {
    const { rows } = await db.database
      .asService("the catalogue is walked")
      .query<{ text: string }>(`select (select ${what}) as text`);
    return rows[0]!.text;
  };
  const checkOf = (table: string, column: string) =>
    read(`string_agg(pg_get_constraintdef(oid), ' ') from pg_constraint
      where conrelid = 'public.${table}'::regclass and contype = 'c' and conname like '%_${column}_check'`);
  const bodyOf = (name: string) => read(`prosrc from pg_proc where proname = '${name}'`);
  const outcomes = (text: string) => found(text, /(?:then|else) '(\w+)'/g);
  const between = (text: string, from: string, to: string) =>
    text.slice(text.indexOf(from), text.indexOf(to));

  it("in the list that SQL keeps once, for what is stored and what a phone decided", async () => {
    const list = await read("pg_get_functiondef('public.is_gate_refusal'::regproc)");
    expect(found(list, /'(\w+)'::text/g)).toEqual([...gateRefusals].sort());
    expect(await checkOf("gate_refusals", "reason")).toContain("is_gate_refusal(reason)");
    expect(found(bodies, /(decided in \()/g), "lists of its own").toEqual([]);
  });

  it("in what a person let in offline is marked with", async () => {
    expect(found(await checkOf("admissions", "despite"), /'(\w+)'::text/g)).toEqual([...gateFlaws].sort());
  });

  it("in the decision of a scan, and in what a search says of it", async () => {
    const decide = await bodyOf("decide_scans");
    expect(outcomes(between(decide, "as is_in", "end as flaw"))).toEqual([...gateFlaws].sort());
    const verdicts = outcomes(between(decide, "as situation offset 0", "end as verdict"));
    expect(verdicts.filter((word) => !(gateResults as readonly string[]).includes(word))).toEqual([]);
    expect(gateResults.filter((word) => !decide.includes(`'${word}'`))).toEqual([]);
    const search = await bodyOf("gate_search");
    const isFound = gateFlaws.filter((flaw) => flaw !== "old_code"); // a search has no code to be old
    expect(outcomes(between(search, "'would', case", "order by f.is_void"))).toEqual(
      ["admitted", "already_in", ...isFound].sort(),
    );
  });
});

it("each code of the contract is used, in SQL or in a function", () => {
  const files = globSync(["supabase/functions/**/*.ts", "server/src/functions/**/*.ts"], { cwd: root });
  const sources = files
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => readFileSync(resolve(root, file), "utf8"))
    .join("\n");
  const used = new Set([...cartRefusals, ...found(sources, /"(\w+)"/g)]);
  expect(Object.keys(functionErrorStatus).filter((code) => !used.has(code))).toEqual([]);
});
