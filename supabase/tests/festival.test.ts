// The festival's facts as data: who may edit them, what is refused, what a second editor sees, and what depends on them.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { contentOf } from "contract/festival/facts";
import { type SectionId, sectionIds, sectionProblems, type Sections } from "contract/festival/sections";
import { cloneDatabase, type TestDatabase } from "../../server/testing/database.ts";
import { openOffice, type Office, type Who } from "./office.ts";

let db: TestDatabase;
let office: Office;
let sections: Sections;
const open = async () => {
  db = await cloneDatabase();
  office = await openOffice(db);
  const [row] = await office.as<{ sections: Sections }>("anon", "select public.get_festival() as sections");
  sections = row!.sections;
};
const close = () => db.close();

interface Section {
  version: number;
  content: unknown;
  draft: unknown;
  published_by: string | null;
}

const save = (id: string, version: number, draft: unknown, who: Who = "admin") =>
  call("save_festival_draft", id, version, draft, who);
const publish = (id: string, version: number, content: unknown, who: Who = "admin") =>
  call("publish_festival_section", id, version, content, who);

async function call(name: string, id: string, version: number, content: unknown, who: Who): Promise<Section> {
  const [row] = await office.as<{ section: Section }>(
    who,
    `select public.${name}($1, $2, $3::jsonb) as section`,
    [id, version, JSON.stringify(content)],
  );
  return row!.section;
}

const refusal = (attempt: Promise<unknown>) =>
  attempt.then(
    () => "done",
    (error: Error) => error.message,
  );

describe("a section", () => {
  beforeEach(open);
  afterEach(close);

  it("starts with the specified texts, which are within their bounds", () => {
    for (const id of sectionIds) expect(sectionProblems(id, sections[id]), id).toEqual([]);
    const { festival, faq, schedule } = contentOf(sections);
    expect(festival).toMatchObject({
      title: "Houston Culture Festival",
      dateText: "June 27, 2025",
      dateTextOrdinal: "June 27th, 2025",
      hoursText: "11:00 AM to 10:00 PM",
      startsAt: "2025-06-27T11:00:00-05:00",
      endsAt: "2025-06-27T22:00:00-05:00",
      contactAddress: "500 Buffalo Bend, Houston, TX 77002",
    });
    expect(faq.groups[0]!.questions[0]!.answer).toBe(
      "The Houston Culture Festival takes place on June 27, 2025, 11:00 AM to 10:00 PM, on the Festival Grounds in Houston, Texas.",
    );
    expect(schedule.entries).toHaveLength(6);
  });

  it("is a draft for administrators alone until it is published for everybody, and is published once", async () => {
    const draft = { ...sections.faq, lead: "Everything, answered." };
    const saved = await save("faq", 1, draft);
    expect(saved).toMatchObject({ version: 2, draft, content: sections.faq, published_by: null });
    const seen = async () =>
      (await office.as("anon", "select public.get_festival() -> 'faq' as faq"))[0]!.faq;
    expect(await seen()).toEqual(sections.faq);
    expect(await office.refusal("anon", "select draft from public.festival_sections")).toBe("42501");
    expect(await office.refusal("buyer", "select draft from public.festival_sections")).toBe("42501");

    const published = await publish("faq", 2, draft);
    expect(published).toMatchObject({
      version: 3,
      draft: null,
      content: draft,
      published_by: `${office.admin}@people.test`,
    });
    expect(await seen()).toEqual(draft);
    const entries = await office.sql(
      "select admin_user_id, record_id, old_values ->> 'lead' as before, new_values ->> 'lead' as after from public.audit_logs where table_name = 'festival_sections'",
    );
    expect(entries).toEqual([
      { admin_user_id: office.admin, record_id: "faq", before: sections.faq.lead, after: draft.lead },
    ]);
  });

  it("keeps a half-done draft, discards it, and publishes nothing half done", async () => {
    await save("faq", 1, { groups: [{ title: "" }] });
    expect(await refusal(publish("faq", 2, { groups: [{ title: "" }] }))).toMatch(
      /: (A text|Fill this|A list)/,
    );
    expect(await save("faq", 2, null)).toMatchObject({ version: 3, draft: null, content: sections.faq });
    expect(await refusal(save("faq", 3, "words"))).toMatch(/check constraint/);
    expect(await refusal(save("faq", 3, { lead: "x".repeat(200_001) }))).toMatch(/check constraint/);
  });

  it("keeps the festival's code while a ticket or permit is valid that was sold for it", async () => {
    const next = { ...sections.facts, title: "Bayou Fest", code: "hcf-2026" };
    expect(await refusal(publish("facts", 1, next))).toMatch(/^code: Tickets were sold under "hcf-2025"/);
    expect(await office.refusal("admin", "update public.festival set code = 'hcf-2026'")).toBe("42501");
    expect((await publish("facts", 1, { ...next, code: "hcf-2025" })).content).toMatchObject({
      title: "Bayou Fest",
    });
    await office.sql("update public.tickets set voided_at = now(), qr_code_data = null, qr_code_url = null");
    expect(await refusal(publish("facts", 2, next)), "a parking permit is valid").toMatch(/^code: Tickets/);
    await office.sql(
      "update public.entry_codes set voided_at = now(), qr_code_data = null, qr_code_url = null",
    );
    await publish("facts", 2, next);
    expect(await office.sql("select code from public.festival")).toEqual([{ code: "hcf-2026" }]);
  });

  it("is not overwritten by a second editor, who gets the first editor's version", async () => {
    const mine = { ...sections.about, lead: "Mine" };
    await save("about", 1, mine);
    for (const second of [save, publish]) {
      const error = await second("about", 1, { ...sections.about, lead: "Theirs" }).catch(
        (failure: unknown) => failure,
      );
      expect(error).toMatchObject({ code: "PT409" });
      expect(JSON.parse((error as { detail: string }).detail)).toMatchObject({ version: 2, draft: mine });
    }
    expect(await refusal(save("weather", 1, {}))).toBe("This section does not exist.");
  });

  it("answers two who publish at once, one of them with a conflict", async () => {
    const outcomes = await Promise.all(
      ["One", "Two"].map((lead) => refusal(publish("faq", 1, { ...sections.faq, lead }))),
    );
    expect(outcomes.sort()).toEqual(["Someone else changed this section after you opened it.", "done"]);
  });
});

describe("what would break a page", () => {
  // One database for all of them: refused content changes nothing.
  beforeAll(open);
  afterAll(close);

  const entry = { time: "1:30 PM", title: "Parade", location: "Stage", duration: 60, type: "music" };
  const facts = (change: object) => ({ ...sections.facts, ...change });
  const schedule = (change: object) => ({ ...sections.schedule, ...change });
  const cases: [what: string, id: SectionId, content: () => unknown][] = [
    ["no fields", "home", () => []],
    ["null", "home", () => null],
    ["a field too many", "home", () => ({ ...sections.home, html: "<b>" })],
    ["a field too few", "schedule", () => ({ lead: "x", entries: [] })],
    ["an empty title", "facts", () => facts({ title: "" })],
    ["a blank title", "facts", () => facts({ title: "  " })],
    ["a title too long", "facts", () => facts({ title: "x".repeat(61) })],
    ["a number for a title", "facts", () => facts({ title: 2026 })],
    ["an end before the start", "facts", () => facts({ ends_at: "2025-06-27T10:59" })],
    ["an end at the start", "facts", () => facts({ ends_at: "2025-06-27T11:00" })],
    ["a month long", "facts", () => facts({ ends_at: "2025-07-27T11:00" })],
    ["a day that is none", "facts", () => facts({ starts_at: "2025-02-30T11:00" })],
    ["a word for a date", "facts", () => facts({ starts_at: "tomorrow" })],
    ["a script as address", "facts", () => facts({ email: "javascript:alert(1)" })],
    ["an address that ends in a hyphen", "facts", () => facts({ email: "office@festival-.test" })],
    ["an address with a name", "facts", () => facts({ email: "Office <office@festival.test>" })],
    ["an address without a domain", "facts", () => facts({ email: "office@festival" })],
    ["a placeholder in a fact", "facts", () => facts({ tagline: "On {date}" })],
    ["201 entries", "schedule", () => schedule({ entries: Array.from({ length: 201 }, () => entry) })],
    ["a time of 24 hours", "schedule", () => schedule({ entries: [{ ...entry, time: "13:30" }] })],
    ["half a minute", "schedule", () => schedule({ entries: [{ ...entry, duration: 0.5 }] })],
    ["no duration", "schedule", () => schedule({ entries: [{ ...entry, duration: null }] })],
    ["a type of its own", "schedule", () => schedule({ entries: [{ ...entry, type: "magic" }] })],
    ["a line break in a title", "schedule", () => schedule({ entries: [{ ...entry, title: "a\nb" }] })],
    [
      "an area twice",
      "map",
      () => ({ ...sections.map, areas: [sections.map.areas[0], sections.map.areas[0]] }),
    ],
    ["a list for a text", "schedule", () => schedule({ notes: [["x"]] })],
    ["a text for a list", "schedule", () => schedule({ notes: "x" })],
    ["a reversed text", "faq", () => ({ ...sections.faq, lead: "\u202Eback" })],
    ["a bell", "faq", () => ({ ...sections.faq, lead: "ring\u0007" })],
    ["an unknown placeholder", "faq", () => ({ ...sections.faq, lead: "See you on {day}" })],
    ["a name of the prototype", "faq", () => ({ ...sections.faq, constructor: "x" })],
  ];
  for (const [what, id, content] of cases) {
    it(`is refused in SQL and at the field with the same words: ${what}`, async () => {
      const said = sectionProblems(id, content()).map(({ path, message }) => `${path}: ${message}`);
      expect(said).toContain(await refusal(publish(id, 1, content())));
    });
  }

  it("is not: every address that a buyer may have", async () => {
    const good = ["tom&jerry@festival.test", "o'neil/office@festival.test", "x!y@xn--80a1acny.xn--p1ai"];
    for (const [at, email] of good.entries()) {
      expect(sectionProblems("facts", facts({ email }))).toEqual([]);
      expect(await refusal(publish("facts", at + 1, facts({ email }))), email).toBe("done");
    }
  });

  it("is not: long words, markup as text, other directions, emoji, empty lists, 200 entries", async () => {
    const odd = [
      "x".repeat(48),
      "</script><script>alert(1)</script>",
      "مهرجان هيوستن",
      "🎉🤠".repeat(24),
      "{date}",
    ];
    const entries = Array.from({ length: 200 }, (_, at) => ({ ...entry, title: odd[at % odd.length] }));
    const full = schedule({ entries, notes: [] });
    expect(sectionProblems("schedule", full)).toEqual([]);
    expect(await publish("schedule", 1, full)).toMatchObject({ version: 2 });
    expect(await publish("faq", 1, { lead: "Soon.", groups: [] })).toMatchObject({ version: 2 });
  });
});

describe("a moved date", () => {
  beforeEach(open);
  afterEach(close);

  const move = (change: Partial<Sections["facts"]>) => publish("facts", 1, { ...sections.facts, ...change });

  it("updates the one row, the end of transfers by the festival's own clock, and the gate's doors", async () => {
    await office.sql(`update public.gate_settings set doors_open_at = '2025-06-27 10:30 America/Chicago',
      doors_close_at = '2025-06-27 21:00 America/Chicago'`);
    // Across the daylight saving change on March 8, 2026.
    await move({ starts_at: "2026-03-14T12:00", ends_at: "2026-03-14T23:00", title: "Next Festival" });
    const [row] = await office.as(
      "anon",
      `select title, starts_at = '2026-03-14 12:00 America/Chicago' as starts,
        public.transfers_close_at() = '2026-02-28 12:00 America/Chicago' as transfers from public.festival`,
    );
    expect(row).toEqual({ title: "Next Festival", starts: true, transfers: true });
    const [doors] = await office.sql(
      `select doors_open_at = '2026-03-14 10:30 America/Chicago' as open, doors_close_at = '2026-03-14 21:00 America/Chicago' as close
        from public.gate_settings`,
    );
    expect(doors).toEqual({ open: true, close: true });
  });

  it("leaves doors without times alone, and doors of a festival whose day stays", async () => {
    await move({ starts_at: "2025-06-27T10:00" });
    const [doors] = await office.sql("select doors_open_at, doors_close_at from public.gate_settings");
    expect(doors).toEqual({ doors_open_at: null, doors_close_at: null });
  });

  it("is written in words", () => {
    const words = (starts_at: string, ends_at: string) => {
      const { festival } = contentOf({ ...sections, facts: { ...sections.facts, starts_at, ends_at } });
      return [festival.dateText, festival.dateTextOrdinal, festival.hoursText, festival.startsAt];
    };
    expect(words("2027-06-01T00:00", "2027-06-02T12:30")).toEqual([
      "June 1 to 2, 2027",
      "June 1st to 2nd, 2027",
      "12:00 AM to 12:30 PM",
      "2027-06-01T00:00:00-05:00",
    ]);
    expect(words("2026-12-31T18:00", "2027-01-01T02:00").slice(0, 2)).toEqual([
      "December 31, 2026 to January 1, 2027",
      "December 31st, 2026 to January 1st, 2027",
    ]);
    expect(words("2026-11-30T11:00", "2026-12-11T22:00")).toEqual([
      "November 30 to December 11, 2026",
      "November 30th to December 11th, 2026",
      "11:00 AM to 10:00 PM",
      "2026-11-30T11:00:00-06:00",
    ]);
  });
});
