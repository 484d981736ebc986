import { expect, it } from "vitest";
import { readGateList } from "./gate.ts";

it("reads a list whose rows have a column more: the server may be newer than a phone's page", () => {
  const columns = [
    "id",
    "ticket",
    "type",
    1,
    0,
    null,
    null,
    "Ana",
    "ana@example.com",
    "0abc1234",
    null,
    null,
    null,
    0,
    null,
  ];
  const list = { now: 0, upto: "1", more: false, reset: true };
  const { rows } = readGateList({ ...list, rows: [columns] });
  expect(rows).toMatchObject([{ id: "id", name: "Ana", last_scan: null }]);
  expect(readGateList({ ...list, rows: [[...columns, "new"]] }).rows).toEqual(rows);
  expect(() => readGateList({ ...list, rows: [columns.slice(1)] })).toThrow();
});
