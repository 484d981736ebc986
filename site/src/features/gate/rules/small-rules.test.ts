import { describe, expect, it } from "vitest";
import { createClock } from "./clock.ts";
import type { BookRow } from "./decide.ts";
import { findPeople } from "./find.ts";
import { explain, timeOf } from "./words.ts";

const HOUR = 3_600_000;

describe("the gate's clock", () => {
  it("follows the server on a device that is hours off", () => {
    let device = 50 * HOUR;
    const clock = createClock(() => device);
    device += 200;
    clock.learn(47 * HOUR, device - 200);
    expect(clock.offset()).toBe(-3 * HOUR - 100);
    device += HOUR;
    expect(clock.now()).toBe(48 * HOUR + 100);
  });

  it("keeps what it learned through a reload, and ignores a slow response", () => {
    let device = HOUR;
    const clock = createClock(() => device, 2 * HOUR);
    expect(clock.now()).toBe(3 * HOUR);
    clock.learn(3 * HOUR, device);
    device += 30_000;
    clock.learn(9 * HOUR, HOUR);
    expect(clock.offset()).toBe(2 * HOUR);
  });
});

describe("searching the list", () => {
  const person = (id: string, name: string, email: string, rest: Partial<BookRow> = {}): BookRow => ({
    id,
    kind: "ticket",
    type_id: "t",
    issue_number: 1,
    is_void: false,
    admitted_at: null,
    entrance_id: null,
    name,
    email,
    order: "0abc1234",
    plate: null,
    ...rest,
  });
  const rows = [
    person("3f2b8a1e-4c5d-4e6f-8a9b-0c1d2e3f4a5b", "José García", "jose@example.com"),
    person("3f2b8a1e-4c5d-4e6f-8a9b-0c1d2e3f9999", "Ana Lee", "ana@example.com", { order: "ffff0000" }),
    person("3f2b8a1e-4c5d-4e6f-8a9b-0c1d2e3f7777", "", "", { plate: "TX 12-34", kind: "parking" }),
    person("02ab8886-4c5d-4e6f-8a9b-0c1d2e3f1111", "Nora Number", "nora@example.com"),
  ];
  it.each([
    ["jose gar", "José García"],
    ["García", "José García"],
    ["ANA@EXAMPLE", "Ana Lee"],
    ["#ffff0000", "Ana Lee"],
    ["#8886", "Nora Number"],
    ["0000", "Ana Lee"],
    ["02AB8886", "Nora Number"],
    ["tx1234", ""],
  ])("finds %s", (text, name) => {
    expect(findPeople(rows, text).map((row) => row.name)).toEqual([name]);
  });

  it("finds nobody by a single letter or by the middle of a word", () => {
    expect(findPeople(rows, "a")).toEqual([]);
    expect(findPeople(rows, "arcía")).toEqual([]);
  });
});

describe("the words of a result", () => {
  const NOON = Date.parse("2025-06-27T12:00:00-05:00");
  it("shows times in Houston, with the day unless it is today", () => {
    expect(timeOf(NOON)).toBe("12:00 PM");
    const first = { at: NOON, entrance: "Main", device: "Phone 3" };
    expect(explain({ result: "already_in", first }, NOON + HOUR)).toBe("Admitted 12:00 PM, Main, Phone 3");
    expect(explain({ result: "already_in", first }, NOON + 8000)).toBe(
      "Admitted 8 seconds ago, Main, Phone 3",
    );
    expect(explain({ result: "already_in", first }, NOON + 24 * HOUR)).toContain("June 27");
  });

  it("reports whether the doors are not open yet or closed again", () => {
    const doors = { result: "not_today" as const, opens_at: NOON, closes_at: NOON + HOUR };
    expect(explain(doors, NOON - 1)).toBe("Doors open 12:00 PM");
    expect(explain(doors, NOON + 2 * HOUR)).toBe("Doors closed 1:00 PM");
  });
});
