import { expect, it } from "vitest";
import {
  count,
  formatCountdown,
  formatDay,
  formatMoment,
  formatPrice,
  formatShortDay,
  formatStamp,
  formatZonedMoment,
  shortId,
} from "./format.ts";

it("shows dates in the festival's time zone", () => {
  expect(formatDay("2025-06-28T03:30:00Z")).toBe("June 27, 2025");
  expect(formatMoment("2025-06-27T16:00:00Z").replaceAll("\u202f", " ")).toBe("Jun 27, 2025, 11:00 AM");
});

it("shows a moment in US style, with its zone where asked", () => {
  expect(formatZonedMoment("2025-06-27T22:52:00Z").replaceAll("\u202f", " ")).toBe(
    "Jun 27, 2025, 5:52 PM CT",
  );
  expect(formatZonedMoment(null)).toBe("N/A");
});

it("shows short days, and stamps for files in 24-hour time", () => {
  expect(formatShortDay("2025-06-07T16:00:00Z")).toBe("Jun 07, 2025");
  expect(formatStamp("2025-06-07T19:05:00Z")).toBe("Jun 07, 2025 14:05");
  expect(formatStamp("2025-06-07T05:05:00Z")).toBe("Jun 07, 2025 00:05");
  expect(formatStamp(null)).toBe("N/A");
});

it("shows N/A when there is no date", () => {
  expect([formatDay(undefined), formatDay(null), formatDay("soon")]).toEqual(["N/A", "N/A", "N/A"]);
});

it("shows prices with two decimals and orders by eight characters", () => {
  expect(formatPrice(45)).toBe("$45.00");
  expect(shortId("3f2a1b4c-0000-4000-8000-000000000000")).toBe("3f2a1b4c");
});

it("counts in words and in minutes", () => {
  expect([count(1, "ticket"), count(2, "ticket"), count(2, "pass", "passes")]).toEqual([
    "1 ticket",
    "2 tickets",
    "2 passes",
  ]);
  expect([formatCountdown(845_000), formatCountdown(59_001), formatCountdown(-5)]).toEqual([
    "14:05",
    "1:00",
    "0:00",
  ]);
});
