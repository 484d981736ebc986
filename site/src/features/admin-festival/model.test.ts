import { expect, it } from "vitest";
import { festivalShapes, sectionProblems } from "contract/festival/sections";
import {
  blankChange,
  changeIn,
  chosen,
  confirmWords,
  consequences,
  endOfDay,
  type Facts,
  letInWords,
  onlyHoursChange,
  saleEndWords,
  startedWords,
} from "./change-model.ts";
import { blank, cleaned, differences, spokenPath, titleOf } from "./model.ts";

const { entries } = festivalShapes.schedule.fields;

it("sends texts without surrounding blanks, and no empty optional fields", () => {
  const entry = {
    time: " 1:30 PM ",
    title: "Parade\n",
    performer: " ",
    location: "Stage",
    duration: 60,
    type: "music",
  };
  expect(cleaned([entry], entries)).toEqual([
    { time: "1:30 PM", title: "Parade", location: "Stage", duration: 60, type: "music" },
  ]);
});

it("keeps a field that the shape does not have, so that it is refused by name", () => {
  expect(cleaned({ lead: " x ", html: " y " }, festivalShapes.vendors)).toEqual({ lead: "x", html: " y " });
});

it("starts an item with every required field", () => {
  expect(blank(entries.of)).toEqual({ time: "", title: "", location: "", duration: 1, type: "music" });
  expect(blank(festivalShapes.sponsors.fields.levels.of)).toEqual({ level: "silver", price: "", perks: [] });
  expect(sectionProblems("vendors", blank(festivalShapes.vendors))).toEqual([
    { path: "lead", message: "Fill this in." },
  ]);
});

it("names each place where two versions differ", () => {
  const mine = { lead: "Mine", notes: ["a", "b"], entries: [{ title: "Parade" }] };
  const theirs = { lead: "Theirs", notes: ["a"], entries: [{ title: "Slab Parade" }] };
  expect(differences(mine, theirs)).toEqual([
    { path: "lead", mine: "Mine", theirs: "Theirs" },
    { path: "notes.1", mine: "b", theirs: "nothing" },
    { path: "entries.0.title", mine: "Parade", theirs: "Slab Parade" },
  ]);
  expect(differences(mine, structuredClone(mine))).toEqual([]);
});

it("describes a path in words", () => {
  expect(spokenPath("entries.2.title")).toBe("Entries 3, title");
  expect(spokenPath("starts_at")).toBe("Starts");
  expect(titleOf({ time: "1:30 PM", title: "Parade" })).toBe("1:30 PM Parade");
});

it("ends the last day for refund requests in Houston, wherever the organizer is", () => {
  expect(endOfDay("2026-11-30")).toBe("2026-12-01T05:59:00.000Z");
  expect(endOfDay("2026-06-30")).toBe("2026-07-01T04:59:00.000Z");
});

const facts = {
  title: "Fest",
  status: "planned",
  starts_at: "2026-11-29T11:00",
  ends_at: "2026-11-29T22:00",
} as Facts;
const codes = { codes: ["tickets", "parking passes"] };
const preview = {
  ...{ people: 45, orders: 12, cents: 54_000, disputed: 0, comps: 0, door_orders: 0, door_cents: 0 },
  ...{ code_is_fixed: true, let_in: 9, has_opened: true, has_doors: false, ...codes },
  sale_ends: [
    { name: null, closes_at: "2026-11-30T03:00:00Z", moves: true },
    { name: "Youth", closes_at: "2026-11-20T18:00:00Z", moves: false },
  ],
};
const moved = {
  ...blankChange(facts, codes),
  ...{ startsAt: "2026-12-06T11:00", endsAt: "2026-12-06T22:00", askUntil: "2026-12-31" },
};

it("says before a move when it is, who comes in again, and what may be claimed until when", () => {
  const said = consequences(moved, facts, preview);
  for (const part of [
    "New date: Dec 6, 2026, 11:00 AM to 10:00 PM.",
    "45 people get an email.",
    "9 people were let in. On the new date, they can come in again with the same codes.",
    "until the end of December 31, 2026: up to 12 orders worth $540.00.",
  ])
    expect(said).toContain(part);
  expect(said).not.toContain("Sales");
  const refunding = { ...moved, refunds: "everybody" } as const;
  expect(consequences(refunding, facts, { ...preview, disputed: 1 })).toContain(
    "A buyer’s bank is disputing 1 of these 12 payments.",
  );
  expect(consequences(refunding, facts, preview)).not.toContain("disputing");
  expect(confirmWords(moved, preview)).toBe("Move to December 6, 2026 and Email 45 People");
  expect(confirmWords({ ...moved, kind: "cancelled" }, preview)).toBe(
    "Cancel the Festival and Email 45 People",
  );
  expect(confirmWords(moved, { ...preview, people: 0 })).toBe("Move to December 6, 2026");
  expect(saleEndWords(preview)).toEqual([
    "All sales close Nov 29, 2026, 9:00 PM. This moves with the day.",
    "Sales of Youth close Nov 20, 2026, 12:00 PM. This stays: change it under Inventory.",
  ]);
});

it("says of an announcement what went out with it: nothing, if it has neither readers nor refunds", () => {
  const refunding = { ...moved, refunds: "everybody" } as const;
  expect(startedWords(refunding, preview)).toBe("Emails and refunds are going out.");
  expect(startedWords({ ...moved, refunds: "none" }, preview)).toBe("Emails are going out.");
  expect(startedWords(moved, preview)).toBe("Emails are going out.");
  expect(startedWords(refunding, { ...preview, people: 0 })).toBe("Refunds are going out.");
  expect(startedWords(refunding, { ...preview, people: 0, orders: 0 })).toBeUndefined();
});

it("lets nobody in again when only the hours change", () => {
  const later = { ...moved, startsAt: "2026-11-29T15:00", endsAt: "2026-11-29T23:00" };
  expect(letInWords(preview, facts, later.startsAt)).toBeUndefined();
  expect([later, moved, blankChange(facts, codes)].map((change) => onlyHoursChange(facts, change))).toEqual([
    true,
    false,
    false,
  ]);
});

it("says that a canceled festival comes back without its sales, also with a new date", () => {
  const canceled: Facts = { ...facts, status: "cancelled" };
  expect(changeIn(canceled, facts)).toBe("restored");
  expect(changeIn(canceled, { ...facts, status: "moved", starts_at: moved.startsAt })).toBe("restored");
  expect(changeIn(facts, canceled)).toBe("cancelled");
  expect(changeIn(facts, { ...facts, starts_at: moved.startsAt })).toBe("moved");
  expect(changeIn(facts, facts)).toBeUndefined();
  expect(consequences(moved, canceled, preview)).toContain("Sales stay stopped until you start them");
});

it("names the new date in the texts of a change until somebody edits them", () => {
  const begun = blankChange(facts, codes);
  expect(begun.subject).toBe("Fest has a new date");
  const started = chosen(begun, { startsAt: "2027-06-05T11:00" }, facts, codes);
  const moved = chosen(started, { endsAt: "2027-06-06T22:00" }, facts, codes);
  expect(moved.subject).toBe("Fest has a new date: June 5 to 6, 2027");
  expect(moved.notice).toBe(
    "Fest has a new date: June 5 to 6, 2027. Your tickets are valid on the new date.",
  );
  const later = chosen(begun, { startsAt: "2026-11-29T15:00" }, facts, codes);
  expect(later.subject, "only the hours change").toBe("Fest has a new date");
  const edited = chosen(
    { ...moved, subject: "See you in June" },
    { endsAt: "2027-06-05T22:00" },
    facts,
    codes,
  );
  expect([edited.subject, edited.notice]).toEqual([
    "See you in June",
    "Fest has a new date: June 5, 2027. Your tickets are valid on the new date.",
  ]);
  expect(moved.body).toContain("Your tickets and parking passes are still valid.");
  const canceled = chosen(moved, { kind: "cancelled" }, facts, codes);
  expect(canceled.subject).toBe("Fest is canceled");
  expect(canceled.body).toContain("Tickets and parking passes are no longer valid.");
});
