// What an operator can switch on and off, in the environment and in the database. A change in the database applies at
// once.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../testing/database.ts";
import { systemClock } from "../platform/clock.ts";
import { createLog } from "../platform/log.ts";
import { CALLERS, contextOf } from "./conformance/sides.ts";
import { createRest, type Rest } from "./index.ts";
import { DEFAULT_SETTINGS, withSettings } from "./settings.ts";

let db: TestDatabase;
let rest: Rest;

const sql = (text: string) => db.database.asService("tests own the data").query(text);

/** For this database only: the role is shared with other tests' databases. */
const set = (settings: Readonly<Record<string, string | null>>) =>
  sql(
    `do $$ begin ${Object.entries(settings)
      .map(([name, value]) => {
        const change = value === null ? `reset pgrst.${name}` : `set pgrst.${name} = '${value}'`;
        return `execute format('alter role authenticator in database %I ${change.replaceAll("'", "''")}', current_database());`;
      })
      .join("\n")} end $$; notify pgrst, 'reload config'`,
  );

async function ask(path: string, init: RequestInit = {}, as: keyof typeof CALLERS = "anon") {
  const response = await rest.fetch(new Request(`http://localhost${path}`, init), contextOf(CALLERS[as]));
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.split(";")[0]!.endsWith("json");
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text ? JSON.parse(text) : text,
  };
}

const JSON_BODY = { "content-type": "application/json" };
const posting = (body: object) => ({ method: "POST", body: JSON.stringify(body), headers: JSON_BODY });
const accept = (type: string) => ({ headers: { accept: type } });

beforeAll(async () => {
  db = await cloneDatabase();
  await sql(readFileSync(join(import.meta.dirname, "conformance/fixture.sql"), "utf8"));
  await sql(
    `create function public.root() returns json language sql stable as $$ select '{"root": true}'::json $$`,
  );
  rest = createRest({
    database: db.database,
    databaseUrl: db.url,
    clock: systemClock,
    log: createLog("silent"),
    settings: { "db-max-rows": "3" },
  });
});
afterAll(async () => {
  await rest?.close();
  await db?.close();
});

describe("by default", () => {
  it("nothing is aggregated, not even through a spread", async () => {
    for (const select of ["count()", "id.sum()", "name,...clients(id.max())", "clients(count())"]) {
      expect(await ask(`/projects?select=${select}`)).toMatchObject({
        status: 400,
        body: { code: "PGRST123", message: "Use of aggregate functions is not allowed" },
      });
    }
  });

  it("no plan is shown", async () => {
    expect(await ask("/projects", accept("application/vnd.pgrst.plan+json"))).toMatchObject({
      status: 406,
      body: {
        code: "PGRST107",
        message: `None of these media types are available: application/vnd.pgrst.plan+json; for="application/json"`,
      },
    });
  });

  it("a client's request to roll back is refused under strict handling, and otherwise not reported as applied", async () => {
    const post = (prefer: string, name: string) =>
      ask("/clients", { ...posting({ name }), headers: { ...JSON_BODY, prefer } });
    expect(await post("tx=rollback, handling=strict", "Strict")).toMatchObject({
      status: 400,
      body: { code: "PGRST122", details: "Invalid preferences: tx=rollback" },
    });
    expect((await ask("/clients?name=eq.Strict")).body).toEqual([]);
    const kept = await post("tx=rollback", "Lenient");
    expect([kept.status, kept.headers.get("preference-applied")]).toEqual([201, null]);
    expect((await ask("/clients?name=eq.Lenient")).body).toHaveLength(1);
  });

  it("one schema is exposed, so responses need not name it", async () => {
    expect((await ask("/clients")).headers.get("content-profile")).toBeNull();
    expect(await ask("/clients", { headers: { "accept-profile": "annex" } })).toMatchObject({
      status: 406,
      body: {
        code: "PGRST106",
        message: "Invalid schema: annex",
        hint: "Only the following schemas are exposed: public",
      },
    });
  });

  it("the operator's own row limit applies", async () => {
    expect((await ask("/projects")).body).toHaveLength(3);
  });

  it("the document at the root lists what its reader may see", async () => {
    const pathsOf = async (as: keyof typeof CALLERS) => Object.keys((await ask("/", {}, as)).body.paths);
    const [visitor, service] = [await pathsOf("anon"), await pathsOf("service")];
    expect(visitor).toContain("/clients");
    expect(visitor).not.toContain("/secrets");
    expect(service).toContain("/secrets");
    await sql("revoke all on clients from anon");
    expect(await pathsOf("anon")).not.toContain("/clients");
    await sql("grant all on clients to anon");
  });
});

describe("a setting of the role authenticator", () => {
  it("exposes another schema as soon as the server is notified, and hides it again", async () => {
    await set({ db_schemas: "annex, public", db_aggregates_enabled: "true", db_plan_enabled: "true" });
    await expect.poll(async () => (await ask("/rooms?select=count()")).body).toEqual([{ count: 4 }]);
    expect((await ask("/rooms")).headers.get("content-profile")).toBe("annex");
    expect((await ask("/projects", { headers: { "accept-profile": "public" } })).status).toBe(200);
    expect((await ask("/rooms", accept("application/vnd.pgrst.plan+text"))).body).toMatch(/^Aggregate/);
    await set({ db_schemas: null, db_aggregates_enabled: null, db_plan_enabled: null });
    await expect.poll(async () => (await ask("/rooms")).status).toBe(404);
  });

  it("rolls back every transaction, reports how long each stage takes, and answers the root by a function", async () => {
    await set({ db_tx_end: "rollback", server_timing_enabled: "true", db_root_spec: "public.root" });
    await expect.poll(async () => (await ask("/")).body).toEqual({ root: true });
    const written = await ask("/clients", posting({ name: "Gone" }));
    expect(written.status).toBe(201);
    expect(written.headers.get("server-timing")).toMatch(
      /^jwt;dur=[\d.]+, parse;dur=[\d.]+, plan;dur=[\d.]+, transaction;dur=[\d.]+, response;dur=[\d.]+$/,
    );
    expect((await ask("/clients?name=eq.Gone")).body).toEqual([]);
    await set({ db_tx_end: null, server_timing_enabled: null, db_root_spec: null, openapi_mode: "disabled" });
    await expect.poll(async () => (await ask("/")).body).toMatchObject({ code: "PGRST126" });
    await set({ openapi_mode: null });
  });

  it("is ignored when it is invalid", async () => {
    await set({ db_tx_end: "sometimes", db_aggregates_enabled: "true" });
    await set({ db_max_rows: "2", db_tx_end: null, db_aggregates_enabled: null });
    await expect.poll(async () => (await ask("/projects")).body).toHaveLength(2);
    await set({ db_max_rows: null });
  });
});

it("refuses an invalid setting in the environment by its name", () => {
  const wrong = {
    "db-tx-end": "sometimes",
    "db-schemas": " , ",
    "db-max-rows": "-1",
    "openapi-mode": "on",
    "db-plan-enabled": "yes",
    "openapi-server-proxy-uri": "ftp://x",
  };
  for (const [name, value] of Object.entries(wrong)) {
    expect(() => withSettings(DEFAULT_SETTINGS, { [name]: value })).toThrow(name);
  }
  expect(withSettings(DEFAULT_SETTINGS, { "app-settings-colour": "teal", "db-uri": "not ours" })).toEqual({
    ...DEFAULT_SETTINGS,
    app: { "app.settings.colour": "teal" },
  });
});
