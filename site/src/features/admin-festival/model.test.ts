import { expect, it } from "vitest";
import { festivalShapes, sectionProblems } from "contract/festival/sections";
import { endOfDay } from "./change-model.ts";
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

it("ends the last day for refund requests in Houston, wherever the organiser is", () => {
  expect(endOfDay("2026-11-30")).toBe("2026-12-01T05:59:00.000Z");
  expect(endOfDay("2026-06-30")).toBe("2026-07-01T04:59:00.000Z");
});
