import { expect, it } from "vitest";
import { flakyTests, totalsOf } from "./playwright-report.ts";

const spec = (title: string, status: string) => ({
  title,
  file: "browser/buying/cart.spec.ts",
  line: 7,
  tests: [{ status }],
});
const report = {
  stats: { expected: 3, unexpected: 1, flaky: 2, skipped: 1 },
  suites: [
    {
      title: "buying/cart.spec.ts",
      specs: [spec("adds a ticket", "expected"), spec("removes it", "flaky")],
      suites: [{ title: "on a phone", specs: [spec("keeps it", "flaky"), spec("loses it", "unexpected")] }],
    },
  ],
};

it("counts a flaky test as failed", () => {
  expect(totalsOf(report)).toEqual({ passed: 3, failed: 3, skipped: 1 });
});

it("names the flaky tests, in describe blocks too", () => {
  expect(flakyTests(report)).toEqual([
    "browser/buying/cart.spec.ts:7 removes it",
    "browser/buying/cart.spec.ts:7 keeps it",
  ]);
});
