// SQL, the functions and the site refuse with the same codes: those of contract/errors.
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { cartRefusals, functionErrorStatus, raisedHints, raisedStates } from "contract/errors";
import { gateAccessRefusals, codeRefusals, gateRefusals, gateResults } from "contract/gate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";

const root = resolve(import.meta.dirname, "../..");

let db: TestDatabase;
/** The bodies of all our functions. */
let bodies: string;
beforeAll(async () => {
  db = await cloneDatabase();
  const { rows } = await db.database
    .asService("the catalog is walked")
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
    .asService("the catalog is walked")
    .query<{ body: string }>("select prosrc as body from pg_proc where proname = 'gate_access_lost'");
  const lost = found(rows[0]!.body, /(?:then|else) '(\w+)'/g);
  const named = found(bodies, /refuse_gate_access\('(\w+)'\)/g);
  const usual = found(bodies, /\bhint = coalesce\(p_why, '(\w+)'\)/g);
  expect([...new Set([...lost, ...named, ...usual])].sort()).toEqual([...gateAccessRefusals].sort());
});

describe("a scan is refused for exactly the reasons that the contract lists", () => {
  const read = async (what: string): Promise<string> => {
    const { rows } = await db.database
      .asService("the catalog is walked")
      .query<{ text: string }>(`select (select ${what}) as text`);
    return rows[0]!.text;
  };
  const checkOf = (table: string, column: string) =>
    read(`string_agg(pg_get_constraintdef(oid), ' ') from pg_constraint
      where conrelid = 'public.${table}'::regclass and contype = 'c' and conname like '%_${column}_check'`);
  const bodyOf = (name: string) => read(`prosrc from pg_proc where proname = '${name}'`);

  it("in the list that SQL keeps once, for what is stored and what a phone decided", async () => {
    const list = await read("pg_get_functiondef('public.is_gate_refusal'::regproc)");
    expect(found(list, /'(\w+)'::text/g)).toEqual([...gateRefusals].sort());
    expect(await checkOf("gate_refusals", "reason")).toContain("is_gate_refusal(reason)");
    expect(found(bodies, /(decided in \()/g), "lists of its own").toEqual([]);
  });

  it("in what a person let in offline is marked with", async () => {
    expect(found(await checkOf("admissions", "despite"), /'(\w+)'::text/g)).toEqual([...codeRefusals].sort());
  });

  it("in what is wrong with a code, for a scan and for a search", async () => {
    expect(found(await bodyOf("code_refusal"), /return '(\w+)'/g)).toEqual([...codeRefusals].sort());
    expect(await bodyOf("gate_search")).toContain("public.code_refusal(");
  });

  it("in the decision of a scan, which knows every result", async () => {
    const scans = await Promise.all(
      ["code_refusal", "recorded_verdict", "scan_in", "scan_out", "scan_undo"].map(bodyOf),
    );
    const used = [...scans, await bodyOf("record_scan")].join("\n");
    expect(gateResults.filter((result) => !used.includes(`'${result}'`))).toEqual([]);
    const said = found(used, /(?:public\.verdict\(|p_scan, p_code, |scan, code, )'(\w+)'/g);
    expect(said.filter((word) => !(gateResults as readonly string[]).includes(word))).toEqual([]);
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
