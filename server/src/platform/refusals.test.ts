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
