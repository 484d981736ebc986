import { expect, it } from "vitest";
import { calendarFile } from "./calendar.ts";
import type { Festival } from "./facts.ts";

const festival = {
  title: "The Fair",
  tagline: "A day",
  organizer: "Us",
  code: "fair",
  status: "planned",
  startsAt: "2025-06-27T11:00:00-05:00",
  endsAt: "2025-06-27T22:00:00-05:00",
  grounds: "Park",
  contactAddress: "1 Main",
  publishedAt: "2025-02-01T00:00:00Z",
} as Festival;

it("removes a cancelled day from the calendars that follow it", () => {
  expect(calendarFile(festival, "https://fair.test")).toMatch(/STATUS:CONFIRMED\r\nSUMMARY:The Fair\r\n/);
  expect(calendarFile({ ...festival, status: "cancelled" }, "https://fair.test")).toMatch(
    /STATUS:CANCELLED\r\nSUMMARY:Canceled: The Fair\r\n/,
  );
});
