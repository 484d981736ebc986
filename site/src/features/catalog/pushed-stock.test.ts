import { expect, it } from "vitest";
import { isEdited, pushedStockOf, withStock } from "./pushed-stock.ts";

const row = (id: string, version = 1, is_hidden = false) => ({
  ...{ id, version, is_hidden, current_inventory: 5, waiting: 0, name: `Type ${id}` },
});
const pushed = {
  left: { a: { current_inventory: 2, waiting: 1 }, b: { current_inventory: 0 } },
  versions: 3,
};

it("changes the counters of the rows it names, and nothing else in them", () => {
  expect(withStock([row("a"), row("c")], pushed)).toEqual([
    { ...row("a"), current_inventory: 2, waiting: 1 },
    row("c"),
  ]);
});

it.each([
  ["nothing", [row("a", 1), row("b", 2)], false],
  ["a price", [row("a", 1), row("b", 1)], true],
  ["something new", [row("a", 3)], true],
  ["something that was hidden", [row("a", 1), row("b", 1), row("c", 1)], true],
  ["something only administrators see", [row("a", 1), row("b", 2), row("c", 1, true)], false],
])("notices an edit: %s", (_what, rows, edited) => {
  expect(isEdited(rows, pushed)).toBe(edited);
});

it("rejects a payload that is not stock", () => {
  expect(pushedStockOf({ ...pushed, id: "message" })).toEqual(pushed);
  for (const other of [
    null,
    {},
    { left: null, versions: 1 },
    { left: { a: { current_inventory: "1" } }, versions: 1 },
  ])
    expect(pushedStockOf(other)).toBeUndefined();
});
