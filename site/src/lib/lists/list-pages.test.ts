import { expect, it } from "vitest";
import { z } from "zod";
import { parseListPage, positionArgs, wholeList, type PagePosition } from "./list-pages.ts";

interface Row {
  id: string;
  at: string;
}
const row = z.object({ id: z.string(), at: z.string() });

it("reads a list function's response", () => {
  const rows = [{ id: "a", at: "now" }];
  expect(parseListPage("users", row, { rows, total_count: 10_000, total_is_exact: false })).toEqual({
    rows,
    total: 10_000,
    exact: false,
  });
});

it("throws on a response of another shape, which is not an empty list", () => {
  const rows = [{ id: "a", at: "now" }];
  for (const answer of [null, [], { rows }, { rows: [{ id: 1 }], total_count: 1, total_is_exact: true }]) {
    expect(() => parseListPage("users", row, answer)).toThrow("Failed to fetch users: unexpected answer");
  }
});

it("requests a page after a row, or by the number of rows before it", () => {
  expect(positionArgs({ offset: 50 })).toEqual({ page_offset: 50 });
  expect(positionArgs({ after: { at: "now", id: "a" } })).toEqual({ p_after_at: "now", p_after_id: "a" });
});

it("reads a whole list, each page after the last row of the previous one", async () => {
  const all: Row[] = Array.from({ length: 7 }, (_, n) => ({ id: String(n), at: `t${n}` }));
  const asked: PagePosition[] = [];
  const fetchRows = async (place: PagePosition) => {
    asked.push(place);
    if (asked.length === 2) all.unshift({ id: "new", at: "later" });
    const from = "after" in place ? all.findIndex(({ id }) => id === place.after.id) + 1 : place.offset;
    return all.slice(from, from + 3);
  };
  const seen: string[] = [];
  for await (const rows of wholeList(3, fetchRows, ({ at, id }) => ({ at, id }))) {
    seen.push(...rows.map(({ id }) => id));
  }
  expect(seen).toEqual(["0", "1", "2", "3", "4", "5", "6"]);
  expect(asked).toEqual([{ offset: 0 }, { after: { at: "t2", id: "2" } }, { after: { at: "t5", id: "5" } }]);
});
