import { expect, it } from "vitest";
import { listProblem, readGuests } from "./model.ts";

it("reads guests as people write and paste them", () => {
  const pasted = `Ana Reyes, ana@people.test
  ben@people.test; Ben O'Neal

"Zoe Dang"\tzoe@people.test
Last, First <last@people.test>`;
  expect(readGuests(pasted).map(({ line, guest }) => [line, guest?.name, guest?.email])).toEqual([
    [1, "Ana Reyes", "ana@people.test"],
    [2, "Ben O'Neal", "ben@people.test"],
    [4, "Zoe Dang", "zoe@people.test"],
    [5, "Last First", "last@people.test"],
  ]);
  expect(listProblem(readGuests(pasted))).toBeUndefined();
});

it("splits a line with several guests at each address, and keeps quotes and addresses out of names", () => {
  const named = (pasted: string) => readGuests(pasted).map(({ guest }) => [guest?.name, guest?.email]);
  const both = [
    ["Ana R", "a@x.test"],
    ["Ben L", "b@x.test"],
  ];
  expect(named("Ana R <a@x.test>; Ben L <b@x.test>")).toEqual(both);
  expect(named('"Ana R" <a@x.test>, "Ben L" <b@x.test>,')).toEqual(both);
  expect(named("Ana R, a@x.test, Ben L, b@x.test")).toEqual(both);
  expect(named("a@x.test, Ana R; b@x.test, Ben L")).toEqual(both);
  expect(readGuests("Ana @home, a@x.test")[0]?.problem).toBe("A name cannot contain @");
});

it("reports problems line by line, and notes a repeated address", () => {
  const lines = readGuests(
    "Ana\nana@people.test\nBen, ben@people\nZoe, zoe@people.test\nZoe Two, ZOE@people.test",
  );
  expect(lines.map(({ line, problem, note }) => [line, problem ?? note])).toEqual([
    [1, "Email is missing"],
    [2, "Name is required"],
    [3, "Valid email is required"],
    [4, undefined],
    [5, "Same email as line 4"],
  ]);
  expect(listProblem(lines)).toBe("Fix lines 1, 2, 3 first. No comps were issued.");
});

it("refuses an empty list and one that is too long", () => {
  expect(listProblem(readGuests(" \n "))).toBe("Add at least one guest.");
  const many = Array.from({ length: 201 }, (_, n) => `Guest ${n}, guest${n}@people.test`).join("\n");
  expect(listProblem(readGuests(many))).toBe("Limit: 200 guests per list. This one has 201.");
});
