import { expect, it } from "vitest";
import type { BookRow } from "../rules/decide.ts";
import { createCodeList } from "./code-list.ts";

const row = (id: string, admitted_at: number | null = null) =>
  ({ id, kind: "ticket", order: "1", admitted_at, entrance_id: null, is_void: false }) as BookRow;
const none = new Set<string>();

it("keeps what this device did since a page was requested", () => {
  const list = createCodeList();
  list.keep(row("ana"));
  const asked = list.beginPage();
  list.change(row("ana", 1));
  list.takePage({ rows: [row("ana")], reset: false, upto: "1" }, asked, none);
  expect(list.get("ana")?.admitted_at).toBe(1);
  list.takePage({ rows: [row("ana")], reset: false, upto: "2" }, list.beginPage(), none);
  expect(list.get("ana")?.admitted_at, "the server knows of it by now").toBeNull();
});

it("keeps people whose scans are not sent yet through a whole new list, on whichever page", () => {
  const list = createCodeList();
  list.keep(row("ana", 1));
  list.keep(row("gone"));
  const waiting = new Set(["ana"]);
  list.takePage({ rows: [row("ben")], reset: true, upto: "1" }, list.beginPage(), waiting);
  list.takePage({ rows: [row("ana")], reset: false, upto: "2" }, list.beginPage(), waiting);
  expect(list.get("ana")?.admitted_at).toBe(1);
  expect(list.get("gone")).toBeUndefined();
  expect(list.upto).toBe("2");
});

it("remembers which phone let someone in when the list names only the entrance", () => {
  const list = createCodeList();
  const wayIn = (admitted_at: number) => ({ ...row("ana", admitted_at), entrance_id: "main" });
  list.change({ ...wayIn(1000), device: "Phone 1" });
  list.takePage({ rows: [wayIn(1200)], reset: false, upto: "1" }, list.beginPage(), none);
  expect(list.get("ana")).toMatchObject({ admitted_at: 1200, device: "Phone 1" });
  list.takePage({ rows: [wayIn(90_000)], reset: false, upto: "2" }, list.beginPage(), none);
  expect(list.get("ana")?.device, "another way in").toBeUndefined();
});

it("finds the codes of an order, through refunds and a whole new list", () => {
  const list = createCodeList();
  const ofOrder = (order: string) => [...list.ofOrder(order)].map(({ id, is_void }) => [id, is_void]);
  for (const id of ["ana", "permit"]) list.keep(row(id));
  list.keep({ ...row("ben"), order: "2" });
  list.keep({ ...row("permit"), is_void: true });
  expect(ofOrder("1")).toEqual([
    ["ana", false],
    ["permit", true],
  ]);
  list.takePage({ rows: [row("ana")], reset: true, upto: "1" }, list.beginPage(), new Set(["ben"]));
  expect([ofOrder("1"), ofOrder("2")]).toEqual([[["ana", false]], [["ben", false]]]);
  list.clear();
  expect(ofOrder("1")).toEqual([]);
});
