// Calls every method of the installed REST client with its options, against the service on the conformance fixture.
// Fails when the client gains a method.
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { expect, it } from "vitest";
import { watchCalls } from "../../testing/client-calls.ts";
import { CONFORMANCE_TABLES, openRest } from "../../testing/rest.ts";
import { CALLERS, contextOf } from "../../testing/conformance/sides.ts";

/** The fixture has no generated types; the version enables every feature of the client. */
interface Untyped {
  __InternalSupabase: { PostgrestVersion: "13" };
  public: any;
  annex: any;
}

const { rest } = await openRest(
  `${CONFORMANCE_TABLES}
  create function sizes(body jsonb) returns setof int language sql as 'select generate_series(1, (body->>''n'')::int)'`,
  {
    maxRows: 100,
    settings: {
      "db-schemas": "public,annex",
      "db-plan-enabled": "true",
      "db-tx-end": "commit-allow-override",
    },
  },
);
const { watch, uncalled, known } = watchCalls(
  /^SupabaseClient\.(channel|getChannels|removeChannel|removeAllChannels)$|\.(decorateFetch|cloneRequestState|processResponse)$/,
);

const connect = (fetched: (request: Request) => void = () => {}): SupabaseClient<Untyped> =>
  watch(
    createClient<Untyped>("http://localhost", "key", {
      auth: { persistSession: false, autoRefreshToken: false },
      global: {
        fetch: async (input, init) => {
          const request = new Request(input, init);
          request.signal.throwIfAborted();
          fetched(request);
          const url = request.url.replace("/rest/v1", "");
          return rest.fetch(new Request(url, request), contextOf(CALLERS.anon));
        },
      },
    }),
  );
const client = connect();

const samples = () => client.from("samples").select("id").order("id");
/** The ids of a successful answer. */
async function ids(asked: PromiseLike<{ data: { id: number }[] | null; error: unknown }>) {
  const { data, error } = await asked;
  expect(error).toBeNull();
  return data!.map(({ id }) => id);
}

it("filters by comparison", async () => {
  expect(await ids(samples().eq("t", "alpha"))).toEqual([1]);
  expect(await ids(samples().neq("n", 1))).toEqual([2, 4]);
  expect(await ids(samples().gt("n", 1))).toEqual([4]);
  expect(await ids(samples().gte("n", 1))).toEqual([1, 4]);
  expect(await ids(samples().lt("n", 1))).toEqual([2]);
  expect(await ids(samples().lte("n", 1))).toEqual([1, 2]);
  expect(await ids(samples().is("b", null))).toEqual([3]);
  expect(await ids(samples().is("b", false))).toEqual([2]);
  expect(await ids(samples().isDistinct("n", 1))).toEqual([2, 3, 4]);
  expect(await ids(samples().in("t", ["alpha", "beta, (gamma)"]))).toEqual([1, 2]);
  expect(await ids(samples().notIn("id", [1, 3]))).toEqual([2, 4]);
  expect(await ids(samples().notIn("t", ["beta, (gamma)", "none"]))).toEqual([1, 4]);
  expect(await ids(samples().match({ b: true, n: 1, t: undefined }))).toEqual([1]);
  expect(await ids(samples().not("t", "is", null))).toEqual([1, 2, 4]);
  expect(await ids(samples().filter("n", "not.eq", 1))).toEqual([2, 4]);
});

it("filters by pattern", async () => {
  expect(await ids(samples().like("t", "%a%"))).toEqual([1, 2]);
  expect(await ids(samples().like("t", "A%"))).toEqual([]);
  expect(await ids(samples().likeAllOf("t", ["%a", "al%"]))).toEqual([1]);
  expect(await ids(samples().likeAnyOf("t", ["al%", "100%"]))).toEqual([1, 4]);
  expect(await ids(samples().ilike("t", "AL%"))).toEqual([1]);
  expect(await ids(samples().ilikeAllOf("t", ["B%", "%GAMMA%"]))).toEqual([2]);
  expect(await ids(samples().ilikeAnyOf("t", ["B%", "AL%"]))).toEqual([1, 2]);
  expect(await ids(samples().regexMatch("t", "^(alpha|beta)"))).toEqual([1, 2]);
  expect(await ids(samples().regexMatch("t", "^ALPHA$"))).toEqual([]);
  expect(await ids(samples().regexIMatch("t", "^ALPHA$"))).toEqual([1]);
});

it("filters by the contents of lists, JSON and ranges", async () => {
  expect(await ids(samples().contains("arr", [1, 3]))).toEqual([1]);
  expect(await ids(samples().contains("tags", ["red"]))).toEqual([1]);
  expect(await ids(samples().contains("jb", { s: "y" }))).toEqual([2]);
  expect(await ids(samples().contains("r", "[2,3)"))).toEqual([1]);
  expect(await ids(samples().containedBy("arr", [1, 2, 3, 4]))).toEqual([1, 2]);
  expect(await ids(samples().containedBy("jb", { a: 2, s: "y", more: true }))).toEqual([2]);
  expect(await ids(samples().containedBy("r", "[1,6)"))).toEqual([1, 4]);
  expect(await ids(samples().rangeGt("r", "[1,5)"))).toEqual([2]);
  expect(await ids(samples().rangeGte("r", "[5,6)"))).toEqual([2]);
  expect(await ids(samples().rangeLt("r", "[5,10)"))).toEqual([1]);
  expect(await ids(samples().rangeLte("r", "[2,5)"))).toEqual([1]);
  expect(await ids(samples().rangeAdjacent("r", "[10,12)"))).toEqual([2]);
  expect(await ids(samples().overlaps("r", "[4,6)"))).toEqual([1, 2]);
  expect(await ids(samples().overlaps("arr", [3, 5]))).toEqual([1, 4]);
});

it("searches text in every mode", async () => {
  const config = "english";
  expect(await ids(samples().textSearch("v", "cat | dog", { config }))).toEqual([1, 2]);
  expect(await ids(samples().textSearch("v", "cat fat", { config, type: "plain" }))).toEqual([1]);
  expect(await ids(samples().textSearch("v", "cat fat", { config, type: "phrase" }))).toEqual([]);
  expect(await ids(samples().textSearch("v", "fat cats", { config, type: "phrase" }))).toEqual([1]);
  expect(await ids(samples().textSearch("v", "cats or dogs", { config, type: "websearch" }))).toEqual([1, 2]);
  expect(await ids(samples().textSearch("v", "cats -fat", { config, type: "websearch" }))).toEqual([]);
});

it("orders, pages and filters, embedded rows included", async () => {
  const byNumber = (nullsFirst: boolean) => client.from("samples").select("id").order("n", { nullsFirst });
  expect(await ids(byNumber(true))).toEqual([3, 2, 1, 4]);
  expect(await ids(byNumber(false))).toEqual([2, 1, 4, 3]);
  expect(await ids(samples().or("n.eq.1,t.is.null"))).toEqual([1, 3]);
  expect(await ids(samples().limit(2))).toEqual([1, 2]);
  expect(await ids(samples().range(1, 2))).toEqual([2, 3]);
  const clients = () => client.from("clients").select("id, projects(id)").in("id", [1, 2]).order("id");
  for (const where of [{ referencedTable: "projects" }, { foreignTable: "projects" }]) {
    expect(
      (
        await clients()
          .order("id", { ...where, ascending: false })
          .limit(1, where)
      ).data,
    ).toEqual([
      { id: 1, projects: [{ id: 2 }] },
      { id: 2, projects: [{ id: 4 }] },
    ]);
    expect((await clients().order("id", where).range(1, 1, where)).data).toEqual([
      { id: 1, projects: [{ id: 2 }] },
      { id: 2, projects: [{ id: 4 }] },
    ]);
    expect((await clients().or("id.eq.1,name.eq.OSX", where)).data).toEqual([
      { id: 1, projects: [{ id: 1 }] },
      { id: 2, projects: [{ id: 4 }] },
    ]);
  }
});

it("answers in each shape", async () => {
  const apple = () => client.from("clients").select("id, name").eq("id", 2);
  expect((await apple().single()).data).toEqual({ id: 2, name: "Apple" });
  expect((await apple().maybeSingle()).data).toEqual({ id: 2, name: "Apple" });
  expect((await apple().csv()).data).toBe("id,name\n2,Apple");
  expect((await client.from("samples").select("id, t").eq("id", 3).stripNulls()).data).toEqual([{ id: 3 }]);
  expect((await apple().overrideTypes<{ id: number }[]>()).data).toHaveLength(1);
  expect((await apple().returns<{ id: number }[]>()).data).toHaveLength(1);
  // Needs PostGIS; without it the answer is PostgREST's.
  expect(await apple().geojson()).toMatchObject({
    status: 404,
    error: { code: "42883", message: expect.stringContaining("st_asgeojson") },
  });
});

it("explains with every option, as text and as JSON", async () => {
  const clients = () => client.from("clients").select().eq("id", 1);
  expect((await clients().explain()).data).toMatch(/Aggregate .*cost=/);
  const text = await clients().explain({ analyze: true, verbose: true, buffers: true, wal: true });
  expect(text.data).toContain("Execution Time");
  expect(text.data).toContain("Output:");
  expect(text.data).toContain("Buffers:");
  const { data } = await clients().explain({ format: "json", analyze: true, settings: true });
  expect(data).toMatchObject([
    { Plan: { "Node Type": "Aggregate" }, Settings: {}, "Execution Time": expect.any(Number) },
  ]);
});

it("counts in every mode, for reads and writes", async () => {
  const counts = ["exact", "planned", "estimated"] as const;
  for (const count of counts) {
    const read = await client.from("tasks").select("*", { count, head: true });
    expect([read.data, read.error], count).toEqual([null, null]);
    // Planned is the planner's estimate, which need not match the seven rows.
    if (count === "planned") expect(read.count).toBeGreaterThan(0);
    else expect(read.count, count).toBe(7);
    const called = await client.rpc("all_projects", {}, { count, get: true });
    expect(called.data, count).toHaveLength(5);
    // PostgREST does not plan calls: it returns "*", which the client cannot parse as a number.
    expect(called.count, count).toBe(count === "planned" ? NaN : 5);
  }
  const { count: two } = await client.from("keyless").insert([{ a: 90 }, { a: 91 }], { count: "exact" });
  const { count: updated } = await client.from("keyless").update({ b: "n" }, { count: "exact" }).gte("a", 90);
  const { count: gone } = await client.from("keyless").delete({ count: "exact" }).gte("a", 90);
  const { count: merged } = await client.from("languages").upsert(
    [
      { name: "C", rank: 2 },
      { name: "Zig", rank: 9 },
    ],
    { count: "exact" },
  );
  expect([two, updated, gone, merged]).toEqual([2, 2, 2, 2]);
});

it("writes defaults or nulls for missing columns", async () => {
  const rows = [{ title: "One", pages: 2 }, { title: "Two" }];
  const pages = async (asked: PromiseLike<{ data: { pages: number | null }[] | null }>) =>
    (await asked).data?.map((row) => row.pages);
  const drafts = () => client.from("drafts");
  expect(await pages(drafts().insert(rows).select("pages"))).toEqual([2, null]);
  expect(await pages(drafts().insert(rows, { defaultToNull: false }).select("pages"))).toEqual([2, 1]);
  const merge = (defaultToNull: boolean) =>
    drafts().upsert(
      [
        { id: 900, title: "A", pages: 5 },
        { id: 901, title: "B" },
      ],
      { defaultToNull, onConflict: "id" },
    );
  expect(await pages(merge(true).select("pages"))).toEqual([5, null]);
  expect(await pages(merge(false).select("pages"))).toEqual([5, 1]);
  const kept = drafts().upsert({ id: 900, title: "Other" }, { ignoreDuplicates: true }).select();
  expect((await kept).data).toEqual([]);
});

it("rolls back, and stops writes that affect too many rows", async () => {
  const undone = await client.from("clients").insert({ name: "Undone" }).select().rollback();
  expect(undone.data).toMatchObject([{ name: "Undone" }]);
  expect((await client.from("clients").select().eq("name", "Undone")).data).toEqual([]);
  const stopped = await client.from("tasks").update({ name: "all" }).gt("id", 0).maxAffected(2);
  expect(stopped.error).toMatchObject({ code: "PGRST124" });
});

it("calls functions with every kind of argument and method", async () => {
  expect((await client.rpc("add_them", { a: 1, b: 2 })).data).toBe(3);
  expect((await client.rpc("sum_array", { numbers: [1, 2] }, { get: true })).data).toBe(3);
  const asked: string[] = [];
  const heard = connect((request) => void asked.push(request.method));
  const head = await heard.rpc("all_projects", {}, { head: true, count: "exact" });
  expect([head.count, head.data]).toEqual([5, null]);
  // An object does not fit in a URL, so the client sends it as a body, which PostgREST answers in full.
  const object = await heard.rpc("sizes", { body: { n: 3 } }, { head: true, count: "exact" });
  expect(object).toMatchObject({ error: null, data: [1, 2, 3], count: 3 });
  expect(asked).toEqual(["HEAD", "POST"]);
});

it("uses other schemas and reads the OpenAPI document", async () => {
  const rooms = await client.schema("annex").from("rooms").select("id, clients(title)").eq("id", 1);
  expect(rooms.data).toEqual([{ id: 1, clients: { title: "Annex one" } }]);
  const other = client.schema("public").schema("annex");
  expect((await other.rpc("add_them", { a: 1, b: 2 })).data).toBe("annex 3");
  const own = await client.getOpenApiSpec();
  expect(Object.keys((own.data as { definitions: object }).definitions)).toContain("projects");
  const annex = await other.getOpenApiSpec();
  expect(Object.keys((annex.data as { definitions: object }).definitions)).toEqual(
    expect.arrayContaining(["clients", "rooms"]),
  );
});

it("sends headers, aborts, throws and retries as requested", async () => {
  const surroundings = await client.rpc("surroundings").setHeader("cookie", "flavour=oat");
  expect(surroundings.data).toMatchObject({ cookie: "oat" });
  const controller = new AbortController();
  const aborted = client.rpc("all_projects").abortSignal(controller.signal);
  controller.abort();
  expect((await aborted).error?.message).toContain("AbortError");
  await expect(client.from("clients").select().throwOnError()).resolves.toMatchObject({ status: 200 });
  await expect(client.from("nothing_like_it").select().throwOnError()).rejects.toMatchObject({
    code: "PGRST205",
  });

  let left = 2;
  const flaky = connect(() => {
    if (left-- > 0) throw new TypeError("The connection is lost");
  });
  expect((await flaky.from("clients").select("id").eq("id", 1).retry(false)).error?.message).toContain(
    "lost",
  );
  expect((await flaky.from("clients").select("id").eq("id", 1).retry(true)).data).toEqual([{ id: 1 }]);
});

it("has every client method called above", () => {
  expect(uncalled()).toEqual([]);
  expect(known()).toBeGreaterThan(60);
});
