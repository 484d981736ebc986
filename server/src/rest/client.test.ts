// What an application sees: the official client against the service, on the fixture of the conformance test.
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { describe, expect, test } from "vitest";
import { CONFORMANCE_TABLES, openRest } from "../../testing/rest.ts";
import type { Claims } from "../platform/keys/jwt.ts";
import { CALLERS, contextOf } from "../../testing/conformance/sides.ts";

/** The fixture has no generated types. The version unlocks everything the client can express. */
interface Untyped {
  __InternalSupabase: { PostgrestVersion: "13" };
  public: any;
}

let now = 0;
const { rest, sql: asOwner } = await openRest(CONFORMANCE_TABLES, {
  clock: { now: () => now },
  maxRows: 100,
  settings: {
    "db-schemas": "public,annex",
    "db-aggregates-enabled": "true",
    "db-plan-enabled": "true",
    "db-tx-end": "commit-allow-override",
  },
});

const connect = (claims: Claims): SupabaseClient<Untyped> =>
  createClient<Untyped>("http://localhost", "key", {
    auth: { persistSession: false, autoRefreshToken: false },
    global: {
      fetch: async (input, init) => {
        const request = new Request(input, init);
        const url = request.url.replace("/rest/v1", "");
        return rest.fetch(new Request(url, request), contextOf(claims));
      },
    },
  });
const client = connect(CALLERS.anon);

describe("reading", () => {
  test("selects, filters, orders and pages", async () => {
    const { data, error, count } = await client
      .from("projects")
      .select("id, name, clients(name)", { count: "exact" })
      .or("name.like.Windows*,client_id.eq.2")
      .not("budget", "is", null)
      .order("id", { ascending: false })
      .range(0, 1);
    expect(error).toBeNull();
    expect(count).toBe(3);
    expect(data).toEqual([
      { id: 4, name: "OSX", clients: { name: "Apple" } },
      { id: 2, name: "Windows 10", clients: { name: "Microsoft" } },
    ]);
  });

  test("gives one row, or null, or says there is none", async () => {
    const one = await client.from("clients").select().eq("id", 1).single();
    expect(one.data).toEqual({ id: 1, name: "Microsoft" });
    const maybe = await client.from("clients").select().eq("id", 77).maybeSingle();
    expect(maybe).toMatchObject({ data: null, error: null });
    const none = await client.from("clients").select().eq("id", 77).single();
    expect(none).toMatchObject({
      status: 406,
      error: { code: "PGRST116", details: "The result contains 0 rows" },
    });
  });

  test("counts without sending rows", async () => {
    const { count, data } = await client.from("tasks").select("*", { count: "exact", head: true });
    expect(count).toBe(7);
    expect(data).toBeNull();
  });

  test.each([
    ["eq", "t", "alpha", [1]],
    ["neq", "t", "alpha", [2, 4]],
    ["in", "id", "(1,3)", [1, 3]],
    ["cs", "tags", "{red}", [1]],
    ["ov", "r", "[4,6)", [1, 2]],
    ["isdistinct", "n", "1", [2, 3, 4]],
  ])("filters by %s on %s", async (operator, column, value, ids) => {
    const { data } = await client.from("samples").select("id").filter(column, operator, value).order("id");
    expect(data?.map(({ id }) => id)).toEqual(ids);
  });

  test("passes any value the client sends as a value", async () => {
    const awkward = `beta, (gamma)`;
    const { data } = await client.from("samples").select("id").in("t", [awkward, `100%_\\"quote'`]);
    expect(data?.map(({ id }) => id)).toEqual([2, 4]);
  });

  test("searches text", async () => {
    const { data } = await client
      .from("samples")
      .select("id")
      .textSearch("v", "fat cat", { type: "plain", config: "english" });
    expect(data).toEqual([{ id: 1 }]);
  });

  test("orders by and filters on embedded resources", async () => {
    const { data } = await client
      .from("clients")
      .select("id, projects!inner(id)")
      .gt("projects.id", 1)
      .order("id")
      .order("id", { referencedTable: "projects", ascending: false })
      .limit(1, { referencedTable: "projects" });
    expect(data).toEqual([
      { id: 1, projects: [{ id: 2 }] },
      { id: 2, projects: [{ id: 4 }] },
    ]);
  });

  test("writes CSV", async () => {
    const { data } = await client.from("clients").select("id,name").lte("id", 2).order("id").csv();
    expect(data).toBe("id,name\n1,Microsoft\n2,Apple");
  });

  test("omits nulls on request", async () => {
    const { data } = await client.from("samples").select("id,t,n").eq("id", 3).stripNulls();
    expect(data).toEqual([{ id: 3 }]);
  });

  test("never sends more rows than the configured maximum", async () => {
    const { data } = await client.rpc("numbers", { upto: 500 });
    expect(data).toHaveLength(100);
  });

  test("estimates a count only where it exceeds a page", async () => {
    const { count } = await client.from("clients").select("*", { count: "estimated" });
    expect(count).toBe(3);
  });

  test("shows each caller its own rows", async () => {
    const alice = await connect(CALLERS.alice).from("notes").select("body");
    expect(alice.data).toEqual([{ body: "mine" }]);
    const anon = await client.from("notes").select("body");
    expect(anon.data).toEqual([]);
  });
});

describe("writing", () => {
  test("inserts, upserts, updates and deletes", async () => {
    const inserted = await client
      .from("drafts")
      .insert([{ title: "A" }, { title: "B", pages: 3 }])
      .select("title,pages");
    expect(inserted.data).toEqual([
      { title: "A", pages: null },
      { title: "B", pages: 3 },
    ]);
    const defaults = await client
      .from("drafts")
      .insert([{ title: "C" }, { pages: 4 }], { defaultToNull: false })
      .select("title,pages");
    expect(defaults.data).toEqual([
      { title: "C", pages: 1 },
      { title: "untitled", pages: 4 },
    ]);
    const upserted = await client.from("languages").upsert({ name: "Java", rank: 1, note: "new" }).select();
    expect(upserted.data).toEqual([{ name: "Java", rank: 1, note: "new" }]);
    const ignored = await client
      .from("languages")
      .upsert({ name: "Java", rank: 1, note: "newer" }, { ignoreDuplicates: true, onConflict: "name" })
      .select();
    expect(ignored.data).toEqual([]);
    const updated = await client
      .from("drafts")
      .update({ status: "done" })
      .eq("title", "A")
      .select("status")
      .single();
    expect(updated.data).toEqual({ status: "done" });
    const { count, status } = await client.from("drafts").delete({ count: "exact" }).in("title", ["A", "B"]);
    expect({ count, status }).toEqual({ count: 2, status: 204 });
  });

  test("keeps nothing of a write whose answer is refused", async () => {
    const before = await client.from("drafts").select("id", { count: "exact", head: true });
    const refused = await client
      .from("drafts")
      .insert([{ title: "x" }, { title: "y" }])
      .select()
      .single();
    expect(refused.error?.code).toBe("PGRST116");
    const after = await client.from("drafts").select("id", { count: "exact", head: true });
    expect(after.count).toBe(before.count);
  });

  test("refuses to touch more rows than allowed", async () => {
    const refused = await client.from("tasks").update({ name: "all" }).gt("id", 0).maxAffected(2);
    expect(refused).toMatchObject({
      status: 400,
      error: { code: "PGRST124", details: "The query affects 7 rows" },
    });
    expect((await client.from("tasks").select().eq("name", "all")).data).toEqual([]);
    const allowed = await client.from("tasks").update({ name: "one" }).eq("id", 7).maxAffected(1);
    expect(allowed.status).toBe(204);
  });

  test("writes every row that the filters match, whatever the limit", async () => {
    await asOwner("insert into keyless values (50, 'c'), (51, 'b'), (52, 'a')");
    const rows = () => client.from("keyless").update({ b: "z" }).gte("a", 50);
    expect((await rows().limit(1).select()).data).toHaveLength(3);
    const { data } = await client.from("keyless").delete().gte("a", 50).order("a").range(1, 1).select();
    expect(data).toEqual([50, 51, 52].map((a) => ({ a, b: "z" })));
  });

  test("reports who may not write", async () => {
    const anon = await client.from("secrets").insert({ id: 9 });
    expect(anon).toMatchObject({ status: 401, error: { code: "42501" } });
    const alice = await connect(CALLERS.alice).from("secrets").delete().eq("id", 1);
    expect(alice).toMatchObject({ status: 403, error: { code: "42501" } });
  });
});

describe("functions", () => {
  test("are called with a body, by GET and by HEAD", async () => {
    expect((await client.rpc("add_them", { a: 1, b: 2 })).data).toBe(3);
    expect((await client.rpc("add_them", { a: 1, b: 2 }, { get: true })).data).toBe(3);
    expect((await client.rpc("sum_array", { numbers: [1, 2] }, { get: true })).data).toBe(3);
    const head = await client.rpc("all_projects", {}, { head: true, count: "exact" });
    expect(head.count).toBe(5);
  });

  test("return tables that are read like tables", async () => {
    const { data } = await client.rpc("all_projects").select("id, clients(name)").eq("id", 3).single();
    expect(data).toEqual({ id: 3, clients: { name: "Apple" } });
  });

  test("cannot write when called by GET", async () => {
    const { error, status } = await client.rpc("add_client", { name: "by get" }, { get: true });
    expect({ code: error?.code, status }).toEqual({ code: "25006", status: 405 });
  });

  test("decide the response by what they raise", async () => {
    const { error, status } = await client.rpc("raise_code", {
      code: "PT402",
      message: "Pay",
      detail: "d",
      hint: "h",
    });
    expect(status).toBe(402);
    expect(error).toMatchObject({ code: "PT402", message: "Pay", details: "d", hint: "h" });
  });
});

describe("a changing schema", () => {
  test("is reloaded when a request names something unknown", async () => {
    expect((await client.from("latecomers").select()).error?.code).toBe("PGRST205");
    await asOwner(
      "create table latecomers (id int); grant all on latecomers to anon; insert into latecomers values (1)",
    );
    now += 60_000;
    expect((await client.from("latecomers").select()).data).toEqual([{ id: 1 }]);
  });

  // The clock stands still from here, so an unknown name alone triggers no reload.
  test("is read again on NOTIFY pgrst", async () => {
    await asOwner("create table latest (id int); grant all on latest to anon");
    expect((await client.from("latest").select()).error?.code).toBe("PGRST205");
    await asOwner("notify pgrst, 'reload schema'");
    await expect.poll(async () => (await client.from("latest").select()).data).toEqual([]);
  });

  test("does not break statements prepared before the change", async () => {
    await asOwner("create table moving (n int); grant all on moving to anon; insert into moving values (1)");
    await asOwner("notify pgrst, 'reload schema'");
    const ask = async () => (await client.from("moving").select().eq("n", "1")).data;
    await expect.poll(ask).toEqual([{ n: 1 }]);
    for (let time = 0; time < 5; time++) await ask();
    await asOwner("alter table moving alter column n type text; notify pgrst, 'reload schema'");
    await expect.poll(ask).toEqual([{ n: "1" }]);
  });
});

describe("what an operator has switched on", () => {
  test("aggregates, spreads and reads another schema", async () => {
    const totals = await client.from("projects").select("client_id, budget.sum()").order("client_id");
    expect(totals.data!.length).toBeGreaterThan(1);
    const spread = await client.from("projects").select("id, ...clients(client:name)").eq("id", 3).single();
    expect(spread.data).toEqual({ id: 3, client: "Apple" });
    const rooms = await client
      .schema("annex" as "public")
      .from("rooms")
      .select("id, clients(title)")
      .eq("id", 1);
    expect(rooms.data).toEqual([{ id: 1, clients: { title: "Annex one" } }]);
  });

  test("explains, rolls back, and stops what affects too many rows", async () => {
    const explained = await client.from("clients").select().explain({ format: "text" });
    expect(explained.data).toContain("Aggregate");
    const undone = await client.from("clients").insert({ name: "Undone" }).select().rollback();
    expect(undone.data).toMatchObject([{ name: "Undone" }]);
    expect((await client.from("clients").select().eq("name", "Undone")).data).toEqual([]);
    const stopped = await client.from("keyless").delete().gt("a", 0).maxAffected(1);
    expect(stopped.error).toMatchObject({ code: "PGRST124" });
    expect((await client.from("keyless").select("a", { count: "exact", head: true })).count).toBeGreaterThan(
      1,
    );
  });

  test("reads CSV, and returns nothing where there is null", async () => {
    expect((await client.from("languages").select("name,rank").eq("name", "C").csv()).data).toBe(
      "name,rank\nC,2",
    );
    const stripped = await client.from("samples").select("id, t").eq("id", 3).stripNulls();
    expect(stripped.data).toEqual([{ id: 3 }]);
  });
});
