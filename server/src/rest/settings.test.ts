// What an operator can switch on and off, in the environment and in the database. A change in the database applies at
// once.
import { describe, expect, it } from "vitest";
import { CONFORMANCE_TABLES, openRest } from "../../testing/rest.ts";
import { systemClock } from "../platform/clock.ts";
import { createLog } from "../platform/log.ts";
import type { Database } from "../postgres/database.ts";
import { CALLERS, contextOf } from "../../testing/conformance/sides.ts";
import { createRest } from "./index.ts";
import { DEFAULT_SETTINGS, withSettings } from "./settings.ts";

const { db, rest, sql } = await openRest(
  `${CONFORMANCE_TABLES}
  create function public.isolation() returns text language sql stable as
    $$ select current_setting('transaction_isolation') $$;
  create function public.rooms_found() returns bigint language plpgsql stable as
    $$ begin return (select count(*) from rooms); end $$;`,
  { settings: { "db-max-rows": "3" } },
);

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
  const context = { ...contextOf(CALLERS[as]), identifiedMs: 1.25 };
  const response = await rest.fetch(new Request(`http://localhost${path}`, init), context);
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

  it("a client's request to roll back is refused, and nothing is kept", async () => {
    const prefer = (preferences: string) => ({ headers: { ...JSON_BODY, prefer: preferences } });
    const refused = {
      code: "PGRST122",
      message: "Rolling back transactions is not enabled",
      details: "Invalid preferences: tx=rollback",
      hint: "Set db-tx-end to commit-allow-override to let clients choose.",
    };
    for (const preferences of ["tx=rollback", "tx=rollback, handling=lenient"]) {
      for (const path of ["/clients", "/rpc/add_client"])
        expect(await ask(path, { ...posting({ name: "Undone" }), ...prefer(preferences) })).toMatchObject({
          status: 400,
          body: refused,
        });
      const deleted = await ask("/clients?id=eq.3", { method: "DELETE", ...prefer(preferences) });
      expect(deleted.body).toEqual(refused);
      expect((await ask("/projects", prefer(preferences))).status).toBe(200);
      expect((await ask("/rpc/surroundings", { ...posting({}), ...prefer(preferences) })).status).toBe(200);
    }
    const strict = { ...posting({ name: "Undone" }), ...prefer("tx=rollback, handling=strict") };
    expect((await ask("/clients", strict)).body).toMatchObject({
      code: "PGRST122",
      message: "Invalid preferences given with handling=strict",
    });
    expect((await ask("/clients?name=eq.Undone")).body).toEqual([]);
    expect((await ask("/clients?id=eq.3")).body).toHaveLength(1);
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
    expect((await ask("/")).body).toMatchObject({
      host: "localhost:80",
      basePath: "/rest/v1",
      schemes: ["http"],
    });
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

  it("rolls back every transaction, and reports how long each stage takes", async () => {
    await set({ db_tx_end: "rollback", server_timing_enabled: "true" });
    await expect
      .poll(async () => (await ask("/clients?limit=0")).headers.get("server-timing"))
      .not.toBeNull();
    const written = await ask("/clients", posting({ name: "Gone" }));
    expect(written.status).toBe(201);
    expect(written.headers.get("server-timing")).toMatch(
      /^jwt;dur=1\.3, parse;dur=[\d.]+, plan;dur=[\d.]+, transaction;dur=[\d.]+, response;dur=[\d.]+$/,
    );
    expect((await ask("/clients?name=eq.Gone")).body).toEqual([]);
    await set({ db_tx_end: null, server_timing_enabled: null });
  });

  it("lets clients commit when rolling back is the default", async () => {
    await set({ db_tx_end: "rollback-allow-override" });
    const post = (name: string, prefer: string) =>
      ask("/clients", { ...posting({ name }), headers: { ...JSON_BODY, prefer } });
    await expect
      .poll(async () => (await post("Undone", "tx=rollback")).headers.get("preference-applied"))
      .toBe("tx=rollback");
    expect((await post("Undone", "")).status).toBe(201);
    const kept = await post("Kept", "tx=commit");
    expect([kept.status, kept.headers.get("preference-applied")]).toEqual([201, "tx=commit"]);
    expect((await ask("/clients?name=in.(Undone,Kept)&select=name")).body).toEqual([{ name: "Kept" }]);
    await set({ db_tx_end: null });
    await expect.poll(async () => (await post("Kept", "tx=rollback")).body.code).toBe("PGRST122");
    await ask("/clients?name=eq.Kept", { method: "DELETE" });
  });

  it("names a function to call first, and passes SQL the application's settings", async () => {
    await set({ db_pre_request: "public.before_request", app_settings_greeting: "howdy" });
    const refuse = { headers: { "x-refuse": "yes" } };
    await expect
      .poll(async () => (await ask("/clients", refuse)).body.message)
      .toBe("refused before the request");
    expect((await ask("/rpc/surroundings")).body.app).toBe("howdy");
    await set({ db_pre_request: null, app_settings_greeting: null });
    await expect.poll(async () => (await ask("/clients", refuse)).status).toBe(200);
    expect((await ask("/rpc/surroundings")).body.app).toBe("");
  });

  it("sets where SQL looks up names without a schema", async () => {
    expect((await ask("/rpc/rooms_found")).body).toMatchObject({ code: "42P01" });
    await set({ db_extra_search_path: "public, annex" });
    await expect.poll(async () => (await ask("/rpc/rooms_found")).body).toBe(4);
    expect((await ask("/rpc/surroundings")).body.path).toBe('"public", "public", "annex"');
    await set({ db_extra_search_path: null });
    await expect.poll(async () => (await ask("/rpc/rooms_found")).status).toBe(404);
  });

  it("is ignored when it is invalid", async () => {
    await set({ db_tx_end: "sometimes", db_aggregates_enabled: "true" });
    await set({ db_max_rows: "2", db_tx_end: null, db_aggregates_enabled: null });
    await expect.poll(async () => (await ask("/projects")).body).toHaveLength(2);
    await set({ db_max_rows: null });
  });
});

it("gives a role's transactions the isolation that the operator sets", async () => {
  const isolation = async () => (await ask("/rpc/isolation")).body;
  const change = (what: string) =>
    sql(`do $$ begin execute format('alter role anon in database %I ${what}', current_database()); end $$;
      notify pgrst, 'reload config'`);
  expect(await isolation()).toBe("read committed");
  await change("set default_transaction_isolation = ''repeatable read''");
  await expect.poll(isolation).toBe("repeatable read");
  expect((await ask("/rpc/isolation", {}, "alice")).body).toBe("read committed");
  await change("reset default_transaction_isolation");
  await expect.poll(isolation).toBe("read committed");
});

it("reads catalog and settings as a visitor, the least privileged role", async () => {
  const readers: string[] = [];
  const database: Database = {
    ...db.database,
    run: (scope, statement) => {
      readers.push(scope.claims.role);
      return db.database.run(scope, statement);
    },
    transaction: (scope, work) => {
      readers.push(scope.claims.role);
      return db.database.transaction(scope, work);
    },
    asService: (why) => {
      throw new Error(`read as the service: ${why}`);
    },
  };
  const other = createRest({ database, databaseUrl: db.url, clock: systemClock, log: createLog("silent") });
  const asked = new Request("http://localhost/clients?limit=1", { headers: { prefer: "timezone=UTC" } });
  const answer = await other.fetch(asked, contextOf(CALLERS.service));
  await other.close();
  expect(answer.status).toBe(200);
  expect(readers.at(-1)).toBe("service_role");
  expect(new Set(readers.slice(0, -1))).toEqual(new Set(["anon"]));
});

it("refuses an invalid setting in the environment by its name", () => {
  const wrong = {
    "db-tx-end": "sometimes",
    "db-schemas": " , ",
    "db-max-rows": "-1",
    "db-plan-enabled": "yes",
  };
  for (const [name, value] of Object.entries(wrong)) {
    expect(() => withSettings(DEFAULT_SETTINGS, { [name]: value })).toThrow(name);
  }
  expect(withSettings(DEFAULT_SETTINGS, { "app-settings-color": "teal", "db-uri": "not ours" })).toEqual({
    ...DEFAULT_SETTINGS,
    app: { "app.settings.color": "teal" },
  });
});
