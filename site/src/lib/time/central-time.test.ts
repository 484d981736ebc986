import { expect, it } from "vitest";
import { centralField, centralMoment } from "./central-time.ts";

it.each([
  ["2025-06-01T15:00:00.000Z", "2025-06-01T10:00"],
  ["2025-12-31T23:30:00.000Z", "2025-12-31T17:30"],
  ["2026-01-01T05:59:00.000Z", "2025-12-31T23:59"],
  // An hour before and after the clocks change.
  ["2025-03-09T07:59:00.000Z", "2025-03-09T01:59"],
  ["2025-03-09T08:00:00.000Z", "2025-03-09T03:00"],
  ["2025-11-02T08:00:00.000Z", "2025-11-02T02:00"],
])("%s is %s in Houston, and back", (iso, field) => {
  expect(centralField(iso)).toBe(field);
  expect(centralMoment(field)).toBe(iso);
});

it("yields a moment for the skipped hour, and none for an empty field", () => {
  expect(centralMoment("2025-03-09T02:30")).toMatch(/^2025-03-09T0[78]:30/);
  expect([centralMoment(""), centralMoment("soon"), centralField(null), centralField("soon")]).toEqual([
    null,
    null,
    "",
    "",
  ]);
});
