// Combinations: methods and functions, preferences and writes, ranges and counts, embeddings and filters, callers and rows. The
// writes roll back, so that each starts from the same rows.
import { CALLERS, type Exchange } from "./sides.ts";

const get = (...paths: string[]): Exchange[] => paths.map((path) => ({ path }));
const prefer = (...preferences: string[]) => ({ prefer: preferences.filter((one) => one !== "").join(", ") });
const callers = Object.keys(CALLERS) as (keyof typeof CALLERS)[];

/** Functions that only read, functions that may write, with and without arguments, overloaded, and one that does not exist. */
const CALLED: readonly (readonly [path: string, body: unknown])[] = [
  ["/rpc/add_them?a=1&b=2", { a: 1, b: 2 }],
  ["/rpc/greet?name=you", { name: "you" }],
  ["/rpc/all_projects?select=name&order=name&limit=1", {}],
  ["/rpc/numbers?upto=2", { upto: 2 }],
  ["/rpc/nothing", {}],
  ["/rpc/overloaded?a=1&b=x", { a: 1, b: "x" }],
  ["/rpc/plain_greeting", {}],
  ["/rpc/rename_clients?suffix=x&select=name&order=name", { suffix: "x" }],
  ["/rpc/nope?a=1", { a: 1 }],
];

export const METHODS: Exchange[] = CALLED.flatMap(([path, body]): Exchange[] => [
  ...["GET", "HEAD", "OPTIONS", "DELETE", "LINK"].map((method) => ({ method, path })),
  ...["POST", "PUT", "PATCH"].map((method) => ({
    method,
    path: method === "POST" ? path.replace(/\b(a|b|name|upto|suffix)=\w+&?/g, "") : path,
    body,
    headers: prefer("tx=rollback", "count=exact"),
  })),
]);

const ROW = { name: "Combined", rank: 77, note: null };

/** Every `return` with every `count`, `resolution` and `missing`, for each way to write. */
export const PREFERRED: Exchange[] = [
  "",
  "return=minimal",
  "return=headers-only",
  "return=representation",
].flatMap((returned) =>
  ["", "count=exact"].flatMap((count): Exchange[] => {
    const headers = (...more: string[]) => prefer(returned, count, "tx=rollback", ...more);
    return [
      { method: "POST", path: "/languages", body: ROW, headers: headers() },
      {
        method: "POST",
        path: "/languages",
        body: [ROW, { ...ROW, name: "Combined too", rank: 78 }],
        headers: headers("resolution=merge-duplicates"),
      },
      {
        method: "POST",
        path: "/languages?on_conflict=name&select=name",
        body: [ROW],
        headers: headers("resolution=ignore-duplicates", "handling=strict"),
      },
      {
        method: "POST",
        path: "/drafts?columns=title,pages&select=title,pages",
        body: [{ title: "a" }],
        headers: headers("missing=default"),
      },
      {
        method: "PUT",
        path: "/languages?name=eq.Combined",
        body: ROW,
        headers: headers("handling=lenient", "unknown"),
      },
      { method: "PATCH", path: "/keyless?a=eq.2&select=a", body: { b: "w" }, headers: headers() },
      { method: "PATCH", path: "/keyless?a=eq.77", body: { b: "w" }, headers: headers("missing=default") },
      { method: "DELETE", path: "/pairs?select=a", headers: headers() },
      { method: "DELETE", path: "/pairs?a=eq.77", headers: headers("timezone=UTC") },
    ];
  }),
);

export const PAGES: Exchange[] = [
  "/tasks?select=id&order=id",
  "/tasks?select=id,projects!inner(id)&order=id",
  "/projects?select=id,tasks(id)&order=id&tasks.order=id",
  "/rpc/numbers?upto=7",
  "/rpc/all_projects?select=id&order=id",
].flatMap((path) =>
  ["0-0", "2-3", "4-", "0-100", "50-60"].flatMap((range): Exchange[] => [
    { path, headers: { range } },
    { path, headers: { range, "range-unit": "items", prefer: "count=exact" } },
    { path: `${path}&limit=2&offset=1`, headers: { range, prefer: "count=exact" } },
  ]),
);

export const FILTERED_EMBEDDINGS: Exchange[] = get(
  ...["eq.1", "neq.1", "in.(1,3)", "gt.2", "is.null", "not.is.null", "eq(any).{1,4}"].flatMap((filter) => [
    `/clients?select=name,projects(id)&projects.id=${filter}&order=id&projects.order=id`,
    `/clients?select=name,projects!inner(id)&projects.id=${filter}&order=id&projects.order=id.desc`,
    `/projects?select=id,clients(name)&clients.id=${filter}&order=id`,
    `/users?select=id,tasks!inner(name)&tasks.id=${filter}&order=id&tasks.order=id`,
  ]),
  "/clients?select=name,projects(id)&projects.and=(id.gt.1,id.lt.4)&order=id&projects.order=id",
  "/clients?select=name,projects(id)&projects.not.and=(id.gt.1,id.lt.4)&order=id&projects.order=id",
  "/clients?select=name,p:projects(id)&p.or=(id.eq.1,name.like.O*)&order=id&p.order=id",
  "/clients?select=name,p:projects!inner(id,t:tasks!inner(id))&p.t.name=ilike.*W10&order=id",
  "/clients?select=name,projects(id,tasks(id))&projects.tasks.or=(id.eq.1,id.eq.4)&order=id&projects.order=id",
  "/clients?select=name,projects(id,tasks())&projects.tasks=is.null&order=id&projects.order=id",
  "/clients?select=name,projects(id)&projects=is.null&name=like.N*",
  "/clients?select=name,p:projects(id)&p=not.is.null&order=id&p.order=id&p.limit=1",
  "/clients?select=name,a:projects(id),b:projects(id)&a.id=eq.1&b.id=eq.2&or=(a.not.is.null,b.not.is.null)",
  "/projects?select=id,clients(name),tasks(id)&clients=not.is.null&tasks=is.null&order=id",
  "/projects?select=id,clients(name),tasks(id)&or=(clients.is.null,tasks.is.null)&order=id&tasks.order=id",
  "/projects?select=id,clients(name)&not.or=(clients.is.null,id.eq.1)&order=id",
  "/projects?select=id,c:clients(name)&order=c(name).desc.nullslast,id.desc&limit=3",
  "/projects?select=id,clients(name)&order=clients(id).asc.nullsfirst,name&offset=1",
  "/tasks?select=name,projects(name,clients(name))&order=projects(name).nullslast,id",
  "/tasks?select=name,...projects(p:name,...clients(c:name))&projects.clients.name=eq.Apple&order=id",
  "/tasks?select=name,...projects!inner(p:name,...clients!inner(c:name))&projects.clients.name=eq.Apple&order=id",
  "/users?select=name,tasks(name,projects(name,clients(name)))&tasks.projects.clients.name=eq.Microsoft&order=id&tasks.order=id",
  "/users?select=name,tasks(name)&tasks.limit=1&tasks.offset=1&tasks.order=id&order=id",
  "/users?select=name,profiles!inner(bio)&profiles.bio=is.null",
  "/users?select=name,sent:letters!letters_sender(body)&sent.body=fts.hello&order=id",
  "/employees?select=name,boss:manager_id!inner(name)&boss.name=eq.VP&order=id",
  "/employees?select=name,reports:employees!manager_id(name)&reports=is.null&order=id",
  "/stages?select=title,shows!inner(act)&shows.act=like.*a*&order=title",
  "/clients?select=name,projects_of!inner(name)&projects_of.id=gt.3&order=id",
  "/projects?select=id,client_of(name)&client_of=is.null&order=id",
  "/clients?select=name,projects(id)&projects.nope=eq.1",
  "/clients?select=name,projects(id)&nope.id=eq.1",
  "/clients?select=name,projects(id)&projects.tasks.id=eq.1",
  "/clients?select=name,projects(id)&projects.id=1",
  "/clients?select=name,projects(id)&projects.order=nope",
  "/clients?select=name,projects(id)&projects.limit=x",
  "/clients?select=name,projects(id)&order=projects(id)",
  "/clients?select=name,projects(id)&projects.id=eq.x",
);

/** What each caller may see and change, where rows and columns have owners. */
export const PERMITTED: Exchange[] = callers.flatMap((as): Exchange[] =>
  [
    { path: "/notes?select=body&order=id", headers: prefer("count=exact") },
    { method: "HEAD", path: "/notes", headers: prefer("count=exact") },
    { path: "/secrets?select=id", headers: prefer("count=exact") },
    { path: "/secrets?select=label&order=value" },
    { path: "/rpc/whoami?x=1" },
    { path: "/rpc/whoami", headers: { "x-test": "read" } },
    { method: "POST", path: "/rpc/whoami", body: {}, headers: { "x-test": "called" } },
    {
      method: "POST",
      path: "/notes?select=body",
      body: { owner: CALLERS.alice.sub, body: "new" },
      headers: prefer("return=representation", "tx=rollback"),
    },
    {
      method: "PATCH",
      path: "/notes?body=eq.mine",
      body: { body: "changed" },
      headers: prefer("return=representation", "tx=rollback"),
    },
    { method: "DELETE", path: "/notes", headers: prefer("count=exact", "tx=rollback") },
    { method: "DELETE", path: "/secrets?id=eq.1", headers: prefer("return=minimal", "tx=rollback") },
    { method: "OPTIONS", path: "/secrets" },
  ].map((exchange) => ({ ...exchange, as })),
);

const full = { prefer: "return=representation, tx=rollback" };
const csvBody = (path: string, body: string): Exchange => ({
  method: "POST",
  path,
  body,
  headers: { ...full, "content-type": "text/csv" },
});

export const BODIES: Exchange[] = [
  csvBody("/pairs", "a,b,c\r\n60,1,x\r\n60,2,y\r\n"),
  csvBody("/pairs", "a,b,c\n61,1,no newline at the end"),
  csvBody("/pairs", 'c,b,a\n"two\nlines",1,62\n'),
  csvBody("/pairs", '"a","b","c"\n63,1,"Ünïcødé, ""quoted"""\n'),
  csvBody("/pairs", "a,b\n64,1\n"),
  csvBody("/pairs", "a,b,c\n"),
  csvBody("/pairs", ""),
  csvBody("/pairs", "a,b,nope\n65,1,x\n"),
  csvBody("/pairs", "a,b,c\n66,x,y\n"),
  csvBody("/pairs", "a,b,c\n67,1,x,more\n"),
  csvBody("/pairs?select=c", "a,b,c\n68,1,null\n68,2,NULL\n"),
  csvBody("/drafts?columns=title&select=title,status", "title,status\nfrom CSV,left out\n"),
  csvBody("/samples?select=id,b,arr,jb,d", 'id,b,arr,jb,d\n60,t,"{1,2}","{""a"":1}",2025-06-01\n'),
  ...[
    { a: 70, b: 1, c: "text" },
    [],
    [{}],
    { a: 70 },
    { a: "70", b: "1", c: 5 },
    { a: 70, b: 1, c: { x: [1] } },
    { a: 70, b: 1.5 },
    { a: true, b: 1 },
    { a: 2 ** 40, b: 1 },
    { a: 70, b: 1, "": 2 },
    [
      { a: 70, b: 1 },
      { a: 71, b: 1, c: "uneven" },
    ],
    [[{ a: 70, b: 1 }]],
  ].map((body) => ({ method: "POST", path: "/pairs", body, headers: full })),
  ...["{}", "[]", "nonsense", '{"c":"x"} ', '{"c":"x"}{"c":"y"}', "\u00a0{}", '{"c":"\\ud83d\\ude00"}'].map(
    (body) => ({
      method: "PATCH",
      path: "/pairs?a=eq.1",
      body,
      headers: full,
    }),
  ),
  ...[
    "application/json",
    "application/json; charset=utf-8",
    "application/vnd.pgrst.object+json",
    "text/csv;header=present",
    "*/*",
    "nonsense",
  ].map((type) => ({
    method: "POST",
    path: "/pairs?select=a,b",
    body: '{"a":80,"b":1}',
    headers: { ...full, "content-type": type },
  })),
];

export const ACCEPTED: Exchange[] = [
  "application/json;q=0.1, text/csv;q=0.9",
  "text/csv, application/vnd.pgrst.object+json",
  "application/vnd.pgrst.object+json, text/csv",
  "application/*",
  "text/*",
  "*/*;q=0",
  "APPLICATION/JSON",
  "application/json;q=nonsense",
  "image/*, application/json;q=0.5",
  "application/vnd.pgrst.object+json;nulls=kept",
  "application/vnd.pgrst.nothing+json",
  "application/octet-stream, application/json",
  "",
].flatMap((accept) =>
  ["/clients?select=name&id=eq.1", "/rpc/add_them?a=1&b=2", "/rpc/project_by_id?id=1&select=name"].map(
    (path) => ({
      path,
      headers: { accept },
    }),
  ),
);
