import { expect, it } from "vitest";
import { z } from "zod";
import { parseListPage, startArgs, wholeList, type PageStart } from "./list-pages.ts";

interface Row {
  id: string;
  at: string;
}
const row = z.object({ id: z.string(), at: z.string() });

it("reads a list function's answer, and makes an empty list of a wrong shape", () => {
  const rows = [{ id: "a", at: "now" }];
  expect(parseListPage(row, { rows, total_count: 10_000, total_is_exact: false })).toEqual({
    rows,
    total: 10_000,
    exact: false,
  });
  for (const answer of [null, [], { rows }, { rows: [{ id: 1 }], total_count: 1, total_is_exact: true }]) {
    expect(parseListPage(row, answer)).toEqual({ rows: [], total: 0, exact: true });
  }
});

it("names the last row seen to the list functions", () => {
  expect(startArgs(undefined)).toEqual({});
  expect(startArgs({ at: "now", id: "a" })).toEqual({ p_after_at: "now", p_after_id: "a" });
});

it("reads a whole list, each page after the last row of the one before", async () => {
  const all: Row[] = Array.from({ length: 7 }, (_, n) => ({ id: String(n), at: `t${n}` }));
  const asked: (PageStart | undefined)[] = [];
  const fetchPage = async (start: PageStart | undefined) => {
    asked.push(start);
    if (asked.length === 2) all.unshift({ id: "new", at: "later" });
    const from = start ? all.findIndex(({ id }) => id === start.id) + 1 : 0;
    return all.slice(from, from + 3);
  };
  const seen: string[] = [];
  for await (const rows of wholeList(3, fetchPage, ({ at, id }) => ({ at, id }))) {
    seen.push(...rows.map(({ id }) => id));
  }
  expect(seen).toEqual(["0", "1", "2", "3", "4", "5", "6"]);
  expect(asked.map((start) => start?.at)).toEqual([undefined, "t2", "t5"]);
});
