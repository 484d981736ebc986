// Features that can be switched on or that only some clients use: aggregates, spreads, schemas, transactions, plans, media
// types and preferences.
import type { Exchange } from "./sides.ts";

const get = (...paths: string[]): Exchange[] => paths.map((path) => ({ path }));
const accepting = (accept: string, ...paths: string[]): Exchange[] =>
  paths.map((path) => ({ path, headers: { accept } }));
const full = { prefer: "return=representation" };
const prefer = (...preferences: string[]) => ({ prefer: preferences.join(", ") });
const send = (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Exchange => ({ method, path, body, headers });

export const AGGREGATES: Exchange[] = get(
  "/projects?select=count()",
  "/projects?select=n:count()",
  "/projects?select=count()::text",
  "/projects?select=count",
  "/projects?select=client_id,count()&order=client_id",
  "/projects?select=c:client_id,n:count()&order=client_id.desc",
  "/projects?select=budget.sum()",
  "/projects?select=budget.avg(),budget.min(),budget.max(),budget.count()",
  "/projects?select=client_id,total:budget.sum()::text&order=client_id.nullsfirst",
  "/projects?select=id::text.max()",
  "/projects?select=s:budget::int.sum()::text",
  "/projects?select=*,count()&order=id&limit=2",
  "/projects?select=client_id,budget.sum(),clients(name)&order=client_id",
  "/clients?select=name,projects(count())&order=id",
  "/clients?select=name,projects(budget.sum(),budget.max())&order=id",
  "/clients?select=name,projects(client_id,budget.sum())&order=id",
  "/clients?select=name,projects(count)&order=id",
  "/projects?select=...clients(name.count())",
  "/projects?select=...clients(name,n:id.count())&order=clients(name)",
  "/projects?select=budget.sum(),...clients(name)&order=clients(name)",
  "/projects?select=total:budget.sum(),...clients(owner:name,m:id.max())&order=clients(name)",
  "/tasks?select=...projects(budget.sum(),...clients(name))&order=projects(clients(name))",
  "/tasks?select=...projects(...clients(name,id.max()))",
  "/tasks?select=count(),...projects(...clients(client:name))",
  "/tasks?select=...projects(budget.sum(),clients(name))",
  "/tasks?select=...projects(client_id,budget.sum(),clients(name))&order=projects(client_id)",
  "/tasks?select=count(),...projects(clients(name))",
  "/tasks?select=...projects(name.max(),tasks(id))",
  "/tasks?select=...projects(name.max(),tasks(count()))",
  "/tasks?select=...projects(client_id.count(),...clients(name,projects(name)))",
  "/tasks?select=...projects(...clients(id.max(),projects(name)))",
  "/projects?select=...clients(id.sum(),projects_of(name))",
  "/projects?select=...client_of(id.max(),projects(name))",
  "/samples?select=jb->a,count()",
  "/samples?select=jb->>s,n.sum()",
  "/samples?select=jb->>a::int.sum()",
  "/samples?select=x:jb->>a::int.sum()::text",
  "/projects?select=name.sum()",
  "/projects?select=nope.sum()",
  "/projects?select=budget.median()",
  "/projects?select=client_id,count()&client_id=not.is.null&order=client_id&limit=1",
  "/rpc/all_projects?select=id.max()",
  "/rpc/all_projects?select=client_id,n:count()&order=client_id",
  "/rpc/add_them?a=1&b=2&select=count()",
).concat([
  { path: "/projects?select=client_id,count()", headers: prefer("count=exact") },
  { path: "/projects?select=count()", headers: { accept: "application/vnd.pgrst.object+json" } },
  { path: "/projects?select=client_id,count()&order=client_id", headers: { accept: "text/csv" } },
]);

export const SPREADS: Exchange[] = get(
  "/projects?select=id,...clients(client:name)&order=id",
  "/projects?select=id,...clients(*)&id=eq.1",
  "/projects?select=id,...clients!inner(client:name)&order=id",
  "/tasks?select=name,...projects(project:name,...clients(client:name))&order=id",
  "/tasks?select=name,projects(name,...clients(client:name))&order=id",
  "/tasks?select=name,...projects(project:name,clients(name))&order=id",
  "/users?select=name,...profiles(bio)&order=id",
  "/projects?select=name,...client_of(client:name)&order=id",
  "/projects?select=id,...clients(client:name)&clients=is.null",
  "/projects?select=id,...clients(client:name)&clients=not.is.null&order=id",
  "/projects?select=id,...clients(client:name)&clients.name=eq.Apple&order=id",
  "/projects?select=id,...clients(client:name)&order=clients(name).desc.nullslast,id",
  "/users?select=*,tasks:users_tasks(*,...tasks(*))&order=id&limit=1",
  "/projects?select=id,...nope(name)",
  "/projects?select=id,...clients()&order=id",
);

export const SCHEMAS: Exchange[] = [
  ...[undefined, "public", "annex", "nope"].flatMap((profile): Exchange[] => {
    const headers: Record<string, string> = profile === undefined ? {} : { "accept-profile": profile };
    return [
      { path: "/clients?order=id&limit=2", headers },
      { path: "/rooms?order=id&select=id,clients(*)", headers },
      { path: "/rpc/add_them?a=1&b=2", headers },
      { path: "/clients?id=eq.1", method: "HEAD", headers },
      { path: "/clients", method: "OPTIONS", headers },
    ];
  }),
  { path: "/clients?select=title,rooms(id,size)&order=id", headers: { "accept-profile": "annex" } },
  {
    path: "/rooms?select=...clients(title),size.sum()&order=clients(title)",
    headers: { "accept-profile": "annex" },
  },
  { path: "/rooms?select=id,projects(*)", headers: { "accept-profile": "annex" } },
  ...[
    "/projects_far?select=id,clients_far(title)&order=id",
    "/clients_far?select=title,projects_far(id)&order=client_key",
    "/projects_far?select=id,clients(title)",
  ].map((path) => ({ path, headers: { "accept-profile": "annex" } })),
  send("POST", "/rooms", { id: 9, client_id: 1, size: 3 }, { ...full, "content-profile": "annex" }),
  send(
    "POST",
    "/rooms?select=id,clients(title)",
    { id: 10, client_id: 2 },
    { ...full, "content-profile": "annex" },
  ),
  send("PATCH", "/rooms?id=eq.9", { size: 4 }, { ...full, "content-profile": "annex" }),
  send(
    "PUT",
    "/rooms?id=eq.11",
    { id: 11, client_id: null, size: 1 },
    { ...full, "content-profile": "annex" },
  ),
  send("DELETE", "/rooms?id=eq.9", undefined, { ...full, "content-profile": "annex" }),
  send("POST", "/rooms", { id: 12 }, { ...full, "content-profile": "nope" }),
  send("POST", "/rooms", { id: 12 }, { ...full, "accept-profile": "annex" }),
  send("POST", "/rpc/add_them", { a: 1, b: 2 }, { "content-profile": "annex" }),
  ...get("/clients?select=title", "/clients?select=*,rooms(*)"),
];

export const PUTS: Exchange[] = [
  send("PUT", "/languages?name=eq.Zig", { name: "Zig", rank: 40 }, full),
  send("PUT", "/languages?name=eq.Zig", { name: "Zig", rank: 41 }, full),
  send("PUT", "/languages?name=eq.Odin", [{ name: "Odin", rank: 42 }], full),
  send("PUT", "/languages?name=eq.Odin", [{ name: "Odin", rank: 43 }]),
  send("PUT", "/languages?name=eq.Odin", { name: "Odin", rank: 44 }, prefer("return=minimal", "count=exact")),
  send("PUT", "/languages?name=eq.Odin", { name: "Odin", rank: 44 }, prefer("return=headers-only")),
  send("PUT", "/languages?name=eq.Odin&select=rank", { name: "Odin", rank: 45 }, full),
  send("PUT", "/languages?name=eq.Odin&columns=name,note", { name: "Odin", rank: 46, note: "c" }, full),
  send(
    "PUT",
    "/languages?name=eq.Odin",
    { name: "Odin", rank: 45 },
    { ...full, accept: "application/vnd.pgrst.object+json" },
  ),
  send("PUT", "/pairs?a=eq.5&b=eq.6", { a: 5, b: 6, c: "five" }, full),
  send("PUT", "/pairs?b=eq.6&a=eq.5", { a: 5, b: 6, c: "six" }, full),
  send("PUT", "/pairs?a=eq.5", { a: 5, b: 6, c: "six" }, full),
  send("PUT", "/pairs?a=eq.5&b=gt.6", { a: 5, b: 6 }, full),
  send("PUT", "/pairs?a=eq.5&b=not.eq.6", { a: 5, b: 6 }, full),
  send("PUT", "/pairs?a=eq.5&b=eq.6&c=eq.x", { a: 5, b: 6 }, full),
  send("PUT", "/pairs?and=(a.eq.5,b.eq.6)", { a: 5, b: 6 }, full),
  send("PUT", "/pairs", { a: 5, b: 6 }, full),
  send("PUT", "/keyless?a=eq.1", { a: 1, b: "x" }, full),
  send("PUT", "/languages?name=eq.Zig", { name: "Other", rank: 50 }, full),
  send("PUT", "/languages?name=eq.Zig", [{ name: "Zig" }, { name: "Other" }], full),
  send("PUT", "/languages?name=eq.Zig", [], full),
  send("PUT", "/languages?name=eq.Zig&limit=1", { name: "Zig" }, full),
  send("PUT", "/languages?name=eq.Zig&offset=1", { name: "Zig" }, full),
  send("PUT", "/languages?name=eq.Zig", "{", full),
  send("PUT", "/languages?name=eq.Zig", { name: "Zig", nope: 1 }, full),
  send("PUT", "/drafts?id=eq.900", { id: 900, title: "t", pages: 0 }, full),
  send("PUT", "/nope?id=eq.1", { id: 1 }, full),
  send("PUT", "/rpc/add_them", { a: 1, b: 2 }),
];

export const PREFERENCES: Exchange[] = [
  send("POST", "/clients", { name: "Undone" }, prefer("return=representation", "tx=rollback")),
  send("POST", "/clients?select=name", { name: "Done" }, prefer("return=representation", "tx=commit")),
  send(
    "PATCH",
    "/clients?id=eq.1",
    { name: "Undone too" },
    prefer("return=representation", "tx=rollback", "count=exact"),
  ),
  send("DELETE", "/pairs", undefined, prefer("return=representation", "tx=rollback")),
  send(
    "PUT",
    "/languages?name=eq.Undone",
    { name: "Undone", rank: 99 },
    prefer("tx=rollback", "return=representation"),
  ),
  send("POST", "/rpc/add_client?select=name", { name: "Undone call" }, prefer("tx=rollback")),
  { path: "/clients?limit=1&order=id", headers: prefer("tx=rollback", "count=exact") },
  { path: "/clients?limit=1&order=id", headers: prefer("tx=nonsense", "handling=strict") },
  { path: "/rpc/surroundings?select=zone", headers: prefer("timezone=America/Chicago") },
  { path: "/rpc/surroundings", headers: prefer("timezone=America/Chicago", "handling=strict") },
  { path: "/rpc/surroundings", headers: prefer("timezone=Mars/Olympus") },
  { path: "/rpc/surroundings", headers: prefer("timezone=Mars/Olympus", "handling=lenient") },
  { path: "/rpc/surroundings", headers: prefer("timezone=Mars/Olympus", "handling=strict") },
  { path: "/samples?select=ts&id=eq.1", headers: prefer("timezone=Asia/Tokyo") },
  { path: "/samples?select=ts&id=eq.1", headers: prefer("timezone=UTC", "timezone=Asia/Tokyo") },
  send("POST", "/clients", { name: "Zoned" }, prefer("timezone=Asia/Tokyo", "return=minimal")),
  { path: "/clients?limit=0", headers: prefer("handling=strict", "wrong", "count=nope") },
  { path: "/clients?limit=0", headers: prefer("handling=lenient", "wrong") },
  send("POST", "/clients", { name: "Strict" }, prefer("handling=strict", "wrong=1")),
  send("PATCH", "/clients?id=eq.1", { name: "Strict" }, prefer("handling=strict", "wrong=1")),
  send("DELETE", "/clients?id=eq.1", undefined, prefer("handling=strict", "wrong=1")),
  send("POST", "/rpc/add_them", { a: 1, b: 1 }, prefer("handling=strict", "wrong=1")),
];

export const SURROUNDINGS: Exchange[] = [
  { path: "/rpc/surroundings", headers: { cookie: "flavour=oatmeal; other=1" } },
  { path: "/rpc/surroundings", headers: { "accept-profile": "public" } },
  { path: "/rpc/surroundings" },
  { path: "/clients?limit=1&order=id", headers: { "x-refuse": "1" } },
  { path: "/clients?limit=1&order=id", headers: { "x-stamp": "1" } },
  send("POST", "/clients", { name: "Refused" }, { "x-refuse": "1" }),
  ...get("/rpc/timeout_now"),
];

const PLAN = "application/vnd.pgrst.plan";

export const MEDIA: Exchange[] = [
  ...accepting(
    "text/plain",
    "/rpc/plain_greeting",
    "/rpc/plain_greeting?name=A%20B",
    "/rpc/greet",
    "/clients",
  ),
  ...accepting("text/html", "/rpc/page", "/rpc/plain_greeting"),
  ...accepting("application/octet-stream", "/rpc/four_bytes", "/rpc/page", "/clients?select=name"),
  ...accepting("application/json", "/rpc/plain_greeting", "/rpc/page"),
  ...get("/rpc/plain_greeting", "/rpc/page"),
  send("POST", "/rpc/plain_greeting", { name: "Posted" }, { accept: "text/plain" }),
  send("HEAD", "/rpc/plain_greeting", undefined, { accept: "text/plain" }),
  send("POST", "/rpc/byte_count", "bytes\u0001", { "content-type": "application/octet-stream" }),
  send("POST", "/rpc/add_them", "x", { "content-type": "application/octet-stream" }),
  send("POST", "/rpc/variadic_names", "names=a&names=b", {
    "content-type": "application/x-www-form-urlencoded",
  }),
  send("POST", "/rpc/variadic_names", "names=a", { "content-type": "application/x-www-form-urlencoded" }),
  send("POST", "/rpc/sum_all", "numbers=1&numbers=2", {
    "content-type": "application/x-www-form-urlencoded",
  }),
  send("POST", "/rpc/greet", "name=Form%20er", { "content-type": "application/x-www-form-urlencoded" }),
  send("POST", "/rpc/greet", "", { "content-type": "application/x-www-form-urlencoded" }),
  ...get("/rpc/variadic_names?names=a&names=b&names=c"),
  send("POST", "/pairs", 'a,b,c\n50,1,x\n50,2,"y, ""z"""\n', { ...full, "content-type": "text/csv" }),
  send("POST", "/pairs", "a,b,c\n51,1,NULL\n51,2,\n", {
    ...full,
    "content-type": "text/csv",
    accept: "text/csv",
  }),
  send("POST", "/pairs", "a,b,c\n52,1\n", { ...full, "content-type": "text/csv" }),
  send("POST", "/pairs?columns=a,b", "a,b,c\n53,1,left out\n", { ...full, "content-type": "text/csv" }),
  send("POST", "/clients", "x", { "content-type": "application/octet-stream" }),
  ...accepting(`${PLAN}+json`, "/clients", "/clients?select=*,projects(*)&id=eq.1", "/rpc/all_projects"),
  ...accepting(`${PLAN}+text`, "/clients"),
  ...accepting(PLAN, "/clients"),
  ...accepting(`${PLAN}+json; options=analyze|verbose|settings|buffers|wal`, "/clients?id=eq.1"),
  ...accepting(`${PLAN}+json; for="text/csv"; options=verbose`, "/clients"),
  ...accepting(`${PLAN}+text; for="application/vnd.pgrst.object"; options=nonsense`, "/clients?id=eq.1"),
  ...accepting(`${PLAN}+json; for="image/png"`, "/clients"),
  send("POST", "/clients", { name: "Only planned" }, { accept: `${PLAN}+json` }),
  send("PATCH", "/clients?id=eq.1", { name: "Only planned" }, { accept: `${PLAN}+json`, ...full }),
  send("DELETE", "/clients?id=eq.1", undefined, { accept: `${PLAN}+text` }),
  send("PUT", "/languages?name=eq.Go", { name: "Go" }, { accept: `${PLAN}+json` }),
  ...accepting("application/vnd.pgrst.array", "/clients?limit=1&order=id"),
  ...accepting("application/vnd.pgrst.object+json;nulls=stripped", "/samples?id=eq.3", "/samples?id=eq.99"),
  ...accepting("text/csv;q=0.5, application/json", "/clients?limit=1&order=id"),
  ...accepting("text/unknown, text/csv", "/clients?limit=1&order=id"),
];

export const OPTIONS: Exchange[] = [
  ...["/clients", "/keyless", "/projects_view", "/project_counts", "/clients_view", "/nope", "/"],
  ...["/rpc/add_client?name=x", "/rpc/add_them?a=1&b=2", "/rpc/add_them", "/rpc/greet", "/rpc/nope"],
].map((path) => ({ path, method: "OPTIONS" }));
