import { expect, test } from "vitest";
import { createRefusals } from "./refusals.ts";

test("a line stands for all of its kind within a second, and the next one says how many those were", () => {
  const lines: object[] = [];
  const silent = () => {};
  let now = 0;
  const refusals = createRefusals(
    { debug: silent, info: silent, error: silent, warn: (fields) => lines.push(fields) },
    () => now,
  );
  for (const path of ["/a", "/b", "/c"]) refusals.warn("504", { path }, "refused");
  refusals.warn("503", { path: "/d" }, "refused");
  now = 1_000;
  refusals.warn("504", { path: "/e" }, "refused");
  expect(lines).toEqual([{ path: "/a" }, { path: "/d" }, { path: "/e", alsoSince: 2 }]);
});

test("each of what counts is in the log once: as a warning, or at info where one of the same second stands for it", () => {
  const lines: unknown[] = [];
  const line = (level: string) => (fields: object) => lines.push({ level, ...fields });
  const silent = () => {};
  let now = 0;
  const refusals = createRefusals(
    { debug: silent, info: line("info"), error: silent, warn: line("warn") },
    () => now,
  );
  for (const id of ["ana", "ben"]) refusals.note("denied", { id }, "access denied");
  now = 1_000;
  refusals.note("denied", { id: "cleo" }, "access denied");
  expect(lines).toEqual([
    { level: "warn", id: "ana" },
    { level: "info", id: "ben" },
    { level: "warn", id: "cleo", alsoSince: 1 },
  ]);
});
