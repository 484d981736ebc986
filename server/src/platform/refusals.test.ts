import { expect, test } from "vitest";
import { createRefusals } from "./refusals.ts";

test("one line stands for all of its kind within a second, and the next one counts them", () => {
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

test("note logs each event once: as a warning, or at info within a second of the last warning", () => {
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
