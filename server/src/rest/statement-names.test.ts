import { expect, test } from "vitest";
import { createStatementNames } from "./statement-names.ts";

test("names a statement once it keeps coming, and keeps the name", () => {
  const names = createStatementNames();
  const given = Array.from({ length: 5 }, () => names.nameFor("select 1"));
  expect(given.slice(0, 2)).toEqual([undefined, undefined]);
  expect(given[2]).toMatch(/^rest_/);
  expect(new Set(given.slice(2)).size).toBe(1);
});

test("gives different statements different names", () => {
  const names = createStatementNames();
  const nameOf = (text: string) => [1, 2, 3].map(() => names.nameFor(text)).at(-1);
  expect(nameOf("select 1")).not.toBe(nameOf("select 2"));
});

test("stays bounded under a flood of statements that come once, and of those that come again", () => {
  const names = createStatementNames();
  for (let index = 0; index < 5000; index++) expect(names.nameFor(`select ${index}`)).toBeUndefined();
  const granted = new Set<string>();
  for (let index = 0; index < 5000; index++) {
    for (let time = 0; time < 3; time++) {
      const name = names.nameFor(`again ${index}`);
      if (name !== undefined) granted.add(name);
    }
  }
  expect(granted.size).toBe(250);
});

test("never gives a name twice and never runs out, however often the schema changes", () => {
  const names = createStatementNames();
  const granted: string[] = [];
  for (let change = 0; change < 2000; change++) {
    expect(names.epoch).toBe(change);
    for (let time = 0; time < 3; time++) {
      const name = names.nameFor("select 1");
      if (name !== undefined) granted.push(name);
    }
    names.forget();
  }
  expect(new Set(granted).size).toBe(2000);
});
