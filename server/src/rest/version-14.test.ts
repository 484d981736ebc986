// What PostgREST 14 does and 12, the version everything else is compared with, does not: lists spread into their parent,
// hints at similar names, its own wording.
import { describe, expect, it } from "vitest";
import { CONFORMANCE_TABLES, openRest } from "../../testing/rest.ts";
import { CALLERS, contextOf } from "../../testing/conformance/sides.ts";

const { db, rest } = await openRest(CONFORMANCE_TABLES, {
  settings: { "db-aggregates-enabled": "true" },
  maxBytes: 20_000,
});

async function ask(path: string, init: RequestInit = {}) {
  const response = await rest.fetch(new Request(`http://localhost${path}`, init), contextOf(CALLERS.anon));
  return {
    status: response.status,
    body: JSON.parse((await response.text()) || "null"),
    headers: response.headers,
  };
}

describe("a to-many resource spread into its parent", () => {
  const READS: Record<string, unknown> = {
    "/clients?select=name,...projects(projects:name)&projects.order=name&order=id": [
      { name: "Microsoft", projects: ["Windows 10", "Windows 7"] },
      { name: "Apple", projects: ["IOS", "OSX"] },
      { name: "Nobody", projects: [] },
    ],
    "/clients?select=client:name,...projects(id,budget)&projects.order=id&id=eq.2": [
      { client: "Apple", id: [3, 4], budget: [null, 50] },
    ],
    "/clients?select=client:name,...projects(*)&projects.order=id&id=eq.2": [
      { client: "Apple", id: [3, 4], name: ["IOS", "OSX"], client_id: [2, 2], budget: [null, 50] },
    ],
    "/clients?select=name,...projects!inner(p:name)&projects.budget=gt.60&order=id": [
      { name: "Microsoft", p: ["Windows 7", "Windows 10"] },
    ],
    "/clients?select=name,...projects(p:name)&projects=is.null": [{ name: "Nobody", p: [] }],
    "/clients?select=name,...projects(p:name)&projects=not.is.null&projects.limit=1&projects.order=id&order=id":
      [
        { name: "Microsoft", p: ["Windows 7"] },
        { name: "Apple", p: ["IOS"] },
      ],
    "/users?select=name,...tasks(tasks:name)&tasks.order=id&id=eq.2": [
      { name: "Michael Scott", tasks: ["Design IOS", "Code IOS"] },
    ],
    "/clients?select=name,...projects(p:name,tasks(name))&projects.order=id&projects.tasks.order=id&id=eq.2":
      [{ name: "Apple", p: ["IOS", "OSX"], tasks: [[{ name: "Design IOS" }, { name: "Code IOS" }], []] }],
    "/clients?select=name,...projects(p:name,...tasks(t:name))&projects.order=id&projects.tasks.order=id&id=eq.2":
      [{ name: "Apple", p: ["IOS", "OSX"], t: [["Design IOS", "Code IOS"], []] }],
    "/projects?select=name,...clients(client:name,...projects(all:id))&id=eq.3": [
      { name: "IOS", client: "Apple", all: [3, 4] },
    ],
    "/projects?select=name,clients(name,...projects(all:id))&id=eq.3": [
      { name: "IOS", clients: { name: "Apple", all: [3, 4] } },
    ],
    "/clients?select=count(),...projects(p:id)&id=eq.2": [{ count: 1, p: [3, 4] }],
    "/clients?select=name,...projects_of(p:name)&id=eq.2": [{ name: "Apple", p: ["IOS", "OSX"] }],
    "/clients?select=...projects(id)&projects.order=id&order=id": [
      { id: [1, 2] },
      { id: [3, 4] },
      { id: [] },
    ],
  };
  it.each(Object.entries(READS))("%s", async (path, rows) => {
    expect(await ask(path)).toMatchObject({ status: 200, body: rows });
  });

  it("is counted, and returned by writes", async () => {
    const headers = { prefer: "count=exact, return=representation", "content-type": "application/json" };
    const read = await ask("/clients?select=...projects!inner(p:id)&limit=1&order=id", { headers });
    expect([read.status, read.headers.get("content-range")]).toEqual([206, "0-0/2"]);
    const written = await ask("/clients?select=name,...projects(p:id)&id=eq.3", {
      ...{ method: "PATCH", headers },
      body: JSON.stringify({ name: "Somebody" }),
    });
    expect(written.body).toEqual([{ name: "Somebody", p: [] }]);
  });

  it("cannot be aggregated in the same request", async () => {
    for (const select of [
      "...projects(budget.sum())",
      "...projects(...tasks(count()))",
      "...projects(...clients(id.max()))",
    ]) {
      expect(await ask(`/clients?select=${select}`)).toMatchObject({
        status: 400,
        body: {
          code: "PGRST127",
          message: "Feature not implemented",
          details: "Aggregates are not implemented for one-to-many or many-to-many spreads.",
        },
      });
    }
  });

  it("holds as much as any other answer, and no more", async () => {
    const long = await ask("/samples?select=id,...nothing(id)");
    expect(long.status).toBe(400);
    await db.database
      .asService("tests own the data")
      .query("insert into tasks (name, project_id) select repeat('x', 500), 5 from generate_series(1, 80)");
    expect(await ask("/projects?select=...tasks(name)&id=eq.5")).toMatchObject({
      status: 413,
      body: { code: "54000" },
    });
  });
});

describe("reads that 12 refuses", () => {
  const READS: Record<string, unknown> = {
    "/projects?select=id&budget=is.not_null&order=id": [{ id: 1 }, { id: 2 }, { id: 4 }, { id: 5 }],
    "/projects?select=id&budget=not.is.not_null&order=id": [{ id: 3 }],
    "/projects?select=id&or=(budget.is.not_null,id.eq.3)&id=gt.2": [{ id: 3 }, { id: 4 }, { id: 5 }],
    "/rpc/pair_table?start=5&select=y&order=x.desc": [{ y: "b" }, { y: "a" }],
    "/rpc/pair_table?start=5&select=y&x=gt.5": [{ y: "b" }],
    "/rpc/all_projects?select=name&client_id=eq.2&order=id.desc": [{ name: "OSX" }, { name: "IOS" }],
    "/rpc/all_projects?select=name,clients(name)&order=id&limit=2": [
      { name: "Windows 7", clients: { name: "Microsoft" } },
      { name: "Windows 10", clients: { name: "Microsoft" } },
    ],
    "/projects?select=id,...clients()&order=id": [1, 2, 3, 4, 5].map((id) => ({ id })),
  };
  it.each(Object.entries(READS))("%s", async (path, rows) => {
    expect(await ask(path)).toMatchObject({ status: 200, body: rows });
  });

  it("aggregate through several spreads", async () => {
    const { status, body } = await ask(
      "/tasks?select=...projects(...clients(name,id.max(),tasks:id.count()))",
    );
    expect(status).toBe(200);
    expect(new Set(body)).toEqual(
      new Set([
        { name: null, max: null, tasks: 0 },
        { name: "Microsoft", max: 1, tasks: 4 },
        { name: "Apple", max: 2, tasks: 2 },
      ]),
    );
  });

  it.each(["APPLICATION/JSON", "Application/Json;q=0.5", "", " "])("ask for %j", async (accept) => {
    const READ = {
      "/clients?select=name&id=eq.1": [{ name: "Microsoft" }],
      "/rpc/add_them?a=1&b=2": 3,
      "/rpc/project_by_id?id=1&select=name": { name: "Windows 7" },
    };
    for (const [path, body] of Object.entries(READ)) {
      const answer = await ask(path, { headers: { accept } });
      expect(answer).toMatchObject({ status: 200, body });
      expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    }
  });
});

describe("a name that is not there", () => {
  const HINTS: Record<string, string | null> = {
    "/client": "Perhaps you meant the table 'public.clients'",
    "/PROJECTS": "Perhaps you meant the table 'public.projects'",
    "/zzzzzz": null,
    "/clients?select=project(*)": "Perhaps you meant 'projects' instead of 'project'.",
    "/clients?select=projects!nothing(*)": null,
    "/rpc/add_the?a=1&b=2": "Perhaps you meant to call the function public.add_them",
    "/rpc/add_them?a=1&bb=2": "Perhaps you meant to call the function public.add_them(a, b)",
    "/rpc/zzzzzz": null,
  };
  it.each(Object.entries(HINTS))("%s: %s", async (path, hint) => {
    expect((await ask(path)).body).toMatchObject({ code: expect.stringMatching(/^PGRST20/), hint });
  });
});

describe("max-affected, which 12 does not support", () => {
  const REFUSED = { code: "PGRST124", details: "The query affects 2 rows" };
  const SENT: [string, string, preferences: string, status: number, body: unknown][] = [
    ["PATCH", "/keyless?a=eq.2", "handling=strict, max-affected=1", 400, REFUSED],
    ["DELETE", "/keyless?a=eq.2", "handling=strict, max-affected=1", 400, REFUSED],
    ["PATCH", "/keyless?a=eq.2", "handling=strict, max-affected=2", 200, [{ b: "w" }, { b: "w" }]],
    ["PATCH", "/keyless?a=eq.2", "handling=lenient, max-affected=1", 200, [{ b: "w" }, { b: "w" }]],
    ["PATCH", "/keyless?a=eq.2", "max-affected=1", 200, [{ b: "w" }, { b: "w" }]],
    ["PATCH", "/keyless?a=eq.77", "handling=strict, max-affected=0", 200, []],
    ["POST", "/rpc/numbers?upto=2", "handling=strict, max-affected=1", 400, REFUSED],
    ["POST", "/rpc/numbers?upto=2", "handling=strict, max-affected=2", 200, [1, 2]],
    ["POST", "/rpc/add_them", "handling=strict, max-affected=1", 400, { code: "PGRST128" }],
    ["POST", "/rpc/add_them", "max-affected=1", 200, 3],
  ];
  it.each(SENT)("%s %s, %s: %i", async (method, path, preferences, status, body) => {
    const called = path.startsWith("/rpc/numbers") ? { upto: 2 } : { a: 1, b: 2 };
    const answer = await ask(path.replace("?upto=2", ""), {
      method,
      headers: {
        prefer: `return=representation, ${preferences}`,
        "content-type": "application/json",
      },
      ...(method === "DELETE" ? {} : { body: JSON.stringify(method === "POST" ? called : { b: "w" }) }),
    });
    expect(answer).toMatchObject({ status, body });
    const applied = answer.headers.get("preference-applied") ?? "";
    expect(applied.includes("max-affected")).toBe(status === 200 && preferences.includes("strict"));
  });
});

it("gives every error's code in a header too", async () => {
  expect((await ask("/zzzzzz")).headers.get("proxy-status")).toBe("PostgREST; error=PGRST205");
  const single = await ask("/clients", { headers: { accept: "application/vnd.pgrst.object+json" } });
  expect([single.status, single.body]).toEqual([
    406,
    {
      code: "PGRST116",
      message: "Cannot coerce the result to a single JSON object",
      details: "The result contains 3 rows",
      hint: null,
    },
  ]);
});

it("searches a computed tsvector, and a domain over one, as it is", async () => {
  for (const place of ["samples?sought", "texts?w"]) {
    const { status, body } = await ask(`/${place}=fts.cat&select=id`);
    expect([place, status, body]).toEqual([place, 200, [{ id: 1 }]]);
  }
});
