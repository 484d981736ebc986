// Reads of every type with every operator it has, in every order, as JSON and as CSV, and what each type refuses.
import type { Exchange } from "./sides.ts";

const get = (...paths: string[]): Exchange[] => paths.map((path) => ({ path }));

/** For each comparable column of `samples`: a value in the middle, a second value, and one that is not of its type. */
const VALUES: Readonly<Record<string, readonly [middle: string, other: string, wrong: string]>> = {
  id: ["2", "4", "two"],
  t: ["alpha", "zeta", ""],
  n: ["1", "-2", "1.5"],
  big: ["0", "9007199254740993", "9223372036854775808"],
  num: ["1.5", "123456789.125", "1,5"],
  d: ["2025-06-01", "infinity", "2025-02-30"],
  ts: ["2025-06-01T12:00:00Z", "2025-06-01T17:00:00.123456Z", "noon"],
  u: ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002", "0-0-0"],
  m: ["ok", "happy", "Happy"],
  p: ["3", "1", "three"],
  b: ["true", "f", "maybe"],
};

const COMPARISONS = [
  "eq",
  "neq",
  "gt",
  "gte",
  "lt",
  "lte",
  "isdistinct",
  "not.eq",
  "not.gt",
  "not.isdistinct",
];

const byType = (column: string, filter: string): Exchange => ({
  path: `/samples?select=id,${column}&order=id.desc&${column}=${filter}`,
});

export const COMPARED: Exchange[] = Object.entries(VALUES).flatMap(([column, [middle, other]]) => [
  ...COMPARISONS.map((operator) => byType(column, `${operator}.${middle}`)),
  byType(column, `in.(${middle},${other})`),
  byType(column, `not.in.("${middle}")`),
  byType(column, `eq(any).{${middle},${other}}`),
  byType(column, `gte(all).{${middle},${other}}`),
  byType(column, "not.is.null"),
]);

export const WRONG_VALUES: Exchange[] = Object.entries(VALUES)
  .filter(([column]) => column !== "t")
  .flatMap(([column, [, , wrong]]) => [
    byType(column, `eq.${wrong}`),
    byType(column, `in.("${wrong}")`),
    { path: `/samples?select=id&or=(id.eq.1,${column}.gt."${wrong}")` },
  ]);

export const SORTED: Exchange[] = Object.keys(VALUES)
  .concat("with-dash", "r", "arr", "tags", "jb", "jb->a", "jb->>s")
  .flatMap((column) =>
    ["", ".desc", ".desc.nullslast"].map((direction) => ({
      path: `/samples?select=id&order=${column}${direction},id.desc`,
    })),
  );

const csv = { accept: "text/csv" };

export const WRITTEN_OUT: Exchange[] = [
  ...Object.keys(VALUES),
  ...["arr", "tags", "r", "v", "j", "with-dash", "jb->l", "jb->>s", "x:n::text", "d::timestamptz"],
].flatMap((column) => [
  { path: `/samples?select=id,${column}&order=id`, headers: csv },
  { path: `/samples?select=${column}&id=eq.1`, headers: { accept: "application/vnd.pgrst.object+json" } },
]);

export const JSON_PATHS: Exchange[] = get(
  "/samples?select=id,j->>k&order=id",
  "/samples?select=id,key:j->>k&order=j->>k,id",
  "/samples?select=id,j->a->b&j->a->b=not.is.null",
  "/samples?select=id,j->0,j->>1&order=id",
  "/samples?select=id,j->-1&order=id",
  "/samples?select=id,jb->l->>0,jb->l->>-1&order=id",
  "/samples?select=id,first:jb->l->0::int&order=id",
  "/samples?select=id,jb->n,jb->>n&order=id",
  "/samples?select=id&jb->n=is.null&order=id",
  "/samples?select=id&jb->>n=is.null&order=id",
  "/samples?select=id&jb->>n=not.is.null&order=id",
  "/samples?select=id&jb->a=gte.1&order=id",
  "/samples?select=id&jb->a=in.(1,2)&order=id",
  "/samples?select=id&jb->l=cs.[10]&order=id",
  "/samples?select=id&jb->l->>1=eq.20",
  "/samples?select=id&jb->>s=like.*&order=id",
  "/samples?select=id&jb->>s=ilike.X",
  "/samples?select=id&jb->>s=match.^[xy]$&order=id",
  "/samples?select=id&jb->>s=isdistinct.x&order=id",
  "/samples?select=id&jb->>s=in.(x,y)&order=jb->>s.desc",
  "/samples?select=id&or=(jb->>s.eq.y,j->>k.eq.v)&order=id",
  "/samples?select=id&and=(jb->a.gt.0,jb->a.lt.2)",
  "/samples?select=id&not.or=(jb->a.eq.1,jb->a.is.null)",
  "/samples?select=id&order=jb->l->1.nullslast,id",
  "/samples?select=id&order=jb->l->>1.desc.nullsfirst,id.desc",
  "/samples?select=id,tags->0,arr->1&order=id",
  "/samples?select=id&tags->>0=eq.red",
  "/samples?select=id&arr->1=eq.2",
  "/samples?select=id,jb->nope->deeper&order=id",
  "/samples?select=id,jb->>nope->deeper",
  "/samples?select=id,jb->",
  "/samples?select=id,->a",
  "/samples?jb->=eq.1",
  "/samples?select=id,jb-%3E%3Es&order=id",
  "/samples?select=id,jb->%22s%22&order=id",
);

export const TREES: Exchange[] = get(
  ...[
    "or=(id.eq.1,id.eq.2,id.eq.3)",
    "or=(id.in.(1,2),id.in.(4))",
    "or=(id.not.in.(1,2),t.eq.alpha)",
    "or=(t.is.null,t.like.1*)",
    "or=(t.not.is.null,id.eq.3)",
    "or=(b.is.true,b.is.unknown)",
    "or=(b.not.is.true,n.gt.0)",
    "and=(id.gt.1,id.lt.4,t.not.is.null)",
    "and=(or(id.eq.1,id.eq.2),not.and(id.eq.1,n.eq.1))",
    "and=(not.or(id.eq.1,id.eq.2),not.or(id.eq.4))",
    "not.and=(id.gt.1,n.is.null)",
    "not.or=(id.eq.1,and(id.eq.2,n.lt.0))",
    "or=(and(and(id.eq.1,n.eq.1),b.is.true),id.eq.4)",
    "or=(id.eq.1)&or=(n.eq.1)",
    "or=(id.eq.1,id.eq.2)&and=(n.gt.0,b.is.true)",
    "or=(id.eq.1,id.eq.2)&n=gt.0&t=like.a*",
    'or=(t.eq."alpha",t.eq."beta, (gamma)")',
    'or=(t.in.("beta, (gamma)","alpha"),id.eq.4)',
    'or=(t.not.in.("beta, (gamma)",alpha),id.eq.1)',
    "or=(arr.cs.{1,2},arr.cd.{5})",
    'or=(tags.ov.{red,"a,b"},id.eq.2)',
    'or=(jb.cs.{"a":2},id.eq.4)',
    "or=(r.sl.[5,6),r.adj.[10,12))",
    "or=(v.fts.cat,v.not.plfts.dog)",
    "or=(v.wfts(english).dog,id.eq.4)",
    "or=(t.like(any).{al*,100*},id.eq.3)",
    "or=(t.not.ilike(all).{*A*,*B*},id.eq.3)",
    "or=(id.eq(any).{1,2},id.gt(all).{2,3})",
    "or=(ts.gt.2025-06-01T12:00:01Z,d.lt.2025-01-01)",
    'or=(ts.eq."2025-06-01T12:00:00+00:00",id.eq.3)',
    "or=(num.eq.1.5,big.lt.0)",
    "or=(num.eq.1.500,p.isdistinct.1)",
    "or=(u.eq.00000000-0000-4000-8000-000000000001,m.eq.ok)",
    "or=(with-dash.eq.dash,%22Odd%20Name%22.eq.)",
    "or=( id.eq.1 , id.eq.4 )",
    "or=(id.eq.1,)",
    "or=(,id.eq.1)",
    "or=(id.eq.1,or=(id.eq.2))",
    "or=(id.eq.1,not(id.eq.2))",
    "or=(id.1)",
    "or=(eq.1)",
    "or=(id.eq.1))",
    "or=((id.eq.1))",
    "or=(id.in.(1,2)",
    "or=",
    "or",
    "and=(id.eq.1,and(id.eq.1))",
    "nor=(id.eq.1)",
    "not=(id.eq.1)",
    "not.id=eq.1",
  ].map((tree) => `/samples?select=id&order=id&${tree}`),
);
