// Random writes: every way to send rows, with the preferences and filters that clients combine. Both databases must hold the
// same rows after each.
import fc from "fast-check";
import type { Exchange } from "./sides.ts";

const key = fc.integer({ min: 1, max: 3 });
const word = fc.constantFrom("one", "", "NULL", 'quo"ted', "é", "a,b", "5");
const row = fc.record({ a: key, b: key, c: fc.option(word) });

const preferences = fc
  .record({
    return: fc.option(fc.constantFrom("representation", "minimal", "headers-only")),
    count: fc.option(fc.constantFrom("exact", "estimated")),
    resolution: fc.option(fc.constantFrom("merge-duplicates", "ignore-duplicates")),
    missing: fc.option(fc.constantFrom("default", "null")),
    tx: fc.option(fc.constantFrom("commit", "rollback")),
    handling: fc.option(fc.constantFrom("strict", "lenient")),
  })
  .map((chosen) =>
    Object.entries(chosen)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name}=${value}`)
      .join(", "),
  );

const select = fc.constantFrom("", "select=a,c", "select=*", "select=k:a,c::text", "select=nope");
const filter = fc
  .array(
    fc.oneof(
      key.map((value) => `a=eq.${value}`),
      key.map((value) => `b=gte.${value}`),
      fc.constantFrom("c=is.null", "c=not.is.null", "or=(a.eq.1,b.eq.2)", "c=like.*e*"),
    ),
    { maxLength: 2 },
  )
  .map((parts) => parts.join("&"));

const accept = fc.constantFrom("application/json", "text/csv", "application/vnd.pgrst.object+json");

const csvOf = (rows: readonly { a: number; b: number; c: string | null }[]): string =>
  ["a,b,c", ...rows.map(({ a, b, c }) => `${a},${b},"${(c ?? "NULL").replaceAll('"', '""')}"`)].join("\n");

const insert = fc
  .record({ rows: fc.array(row, { minLength: 1, maxLength: 3 }), asCsv: fc.boolean() })
  .map(({ rows, asCsv }): Partial<Exchange> => ({
    method: "POST",
    path: "/pairs",
    body: asCsv ? csvOf(rows) : rows,
    headers: { "content-type": asCsv ? "text/csv" : "application/json" },
  }));
const update = fc.record({ filter, c: fc.option(word) }).map(({ filter: where, c }): Partial<Exchange> => ({
  method: "PATCH",
  path: `/pairs?${where}`,
  body: { c },
}));
const put = fc.record({ row, b: key }).map(({ row: sent, b }): Partial<Exchange> => ({
  method: "PUT",
  path: `/pairs?a=eq.${sent.a}&b=eq.${b}`,
  body: sent,
}));
const remove = fc
  .record({ a: key, b: key })
  .map(({ a, b }): Partial<Exchange> => ({ method: "DELETE", path: `/pairs?a=eq.${a}&b=eq.${b}` }));

export const randomWrite: fc.Arbitrary<Exchange> = fc
  .record({ write: fc.oneof(insert, insert, update, put, remove), preferences, select, accept })
  .map(({ write, preferences: prefer, select: selected, accept: accepted }) => ({
    ...write,
    path: `${write.path}${write.path!.includes("?") ? "&" : "?"}${selected}`
      .replace(/[?&]+$/, "")
      .replace("?&", "?"),
    headers: { ...write.headers, accept: accepted, ...(prefer === "" ? {} : { prefer }) },
  }));
