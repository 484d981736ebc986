import { expect, it } from "vitest";
import { paperName, paperRows, tallyText, type Attendee } from "./model.ts";

it.each([
  ["Ana Reyes", "Reyes, Ana"],
  ["Ana Maria  Reyes ", "Reyes, Ana Maria"],
  ["Martin King Jr.", "King Jr., Martin"],
  ["Henry Ford II", "Ford II, Henry"],
  ["Beyoncé", "Beyoncé"],
  ["Jr.", "Jr."],
])("finds %j under its last name", (name, paper) => {
  expect(paperName(name)).toBe(paper);
});

it("lists everyone who is expected in alphabetical order, and leaves out void tickets and unnamed ones", () => {
  const row = (name: string, more: Partial<Attendee> = {}): Attendee => ({
    ...{
      id: name,
      order_id: "order",
      ordered_at: "",
      name,
      email: "",
      type: "VIP",
      channel: "online",
      buyer: "",
    },
    ...{ checked_in_at: null, voided_at: null, state: "absent" },
    ...more,
  });
  const rows = paperRows([
    row("Zoe Zamora"),
    row("Ana Álvarez", { state: "in" }),
    row("bea alvarez"),
    row("Void Person", { state: "void" }),
    row("Door sale", { channel: "door" }),
    row("Guest Adams", { channel: "comp" }),
  ]);
  expect(rows.map(({ name, isIn }) => [name, isIn])).toEqual([
    ["Adams, Guest", false],
    ["Álvarez, Ana", true],
    ["alvarez, bea", false],
    ["Zamora, Zoe", false],
  ]);
});

it("says what the list counts", () => {
  const tally = (total: number, voided: number | null, exact = true) => tallyText({ total, voided, exact });
  expect(tally(409, 3)).toBe("406 valid, 3 void");
  expect(tally(1, 0)).toBe("1 ticket");
  expect(tally(3, null)).toBe("3 tickets");
  expect(tally(10_000, 1200, false)).toBe("10,000 tickets or more, 1,200 void");
});
