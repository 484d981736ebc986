// What organizers publish is in the pages within seconds: of every process, without a restart, without script, and in the
// first page of one that starts later.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Sections } from "contract/festival/sections";
import { quickFolder } from "../../server/testing/quick-folder.ts";
import { visitorClient } from "../support/server/clients.ts";
import { type Festival, removeFolder, startFestival } from "../support/server/festival.ts";
import { prepareFolder } from "../support/server/prepared-data.ts";

const folder = quickFolder("festival-");
let first: Festival;
let second: Festival;
let admin: SupabaseClient;
let specified: Sections;
/** Files as built, by path. */
const before = new Map<string, string>();

/** A second server next to the first: on its database, with its keys. */
function startAnother(name: string): Promise<Festival> {
  mkdirSync(join(folder, name));
  copyFileSync(join(folder, "first/secrets.json"), join(folder, name, "secrets.json"));
  return startFestival({ dataDir: join(folder, name), env: { DATABASE_URL: first.status.DB_URL! } });
}

beforeAll(async () => {
  prepareFolder(join(folder, "first"));
  first = await startFestival({ dataDir: join(folder, "first") });
  second = await startAnother("second");
  const { ADMIN_EMAIL, ADMIN_PASSWORD } = first.status as Record<string, string>;
  admin = visitorClient(first.status);
  await admin.auth.signInWithPassword({ email: ADMIN_EMAIL!, password: ADMIN_PASSWORD! });
  specified = (await admin.rpc("get_festival")).data as Sections;
});
afterAll(async () => {
  await Promise.all([first?.stop(), second?.stop()]);
  removeFolder(folder);
});

async function publish<Id extends keyof Sections>(id: Id, change: Partial<Sections[Id]>): Promise<void> {
  const { data } = await admin.rpc("get_festival_drafts");
  const { version } = (data as { id: string; version: number }[]).find((section) => section.id === id)!;
  const { error } = await admin.rpc("publish_festival_section", {
    p_section: id,
    p_version: version,
    p_content: { ...specified[id], ...change },
  });
  expect(error).toBeNull();
}

const file = async (festival: Festival, path: string) => (await fetch(festival.url + path)).text();
const within = (assertion: () => Promise<void>) => vi.waitFor(assertion, { timeout: 60_000, interval: 200 });
const moved = { starts_at: "2026-10-10T12:00", ends_at: "2026-10-11T23:30" };

it("a fresh installation shows the specified facts", async () => {
  for (const festival of [first, second]) {
    expect(await file(festival, "/")).toContain(
      "<title>Houston Culture Festival: That&#x27;s So Houston, June 27, 2025</title>",
    );
    expect(await file(festival, "/faq")).toContain(
      "Hold on tight. Here is what guests ask before they come.",
    );
  }
  for (const path of [
    "/faq",
    "/schedule",
    "/about",
    "/admin",
    "/my-tickets",
    "/festival.ics",
    "/festival.json",
  ])
    before.set(path, await file(first, path));
});

it("a moved date appears everywhere, in each process", async () => {
  await publish("facts", moved);
  for (const festival of [first, second]) {
    await within(async () => expect(await file(festival, "/")).toContain("October 10 to 11, 2026</title>"));
    const home = await file(festival, "/");
    expect(home).toContain('"startDate":"2026-10-10T12:00:00-05:00"');
    expect(home).toContain("October 10th to 11th, 2026");
    for (const path of ["/", "/faq", "/schedule", "/tickets", "/terms"]) {
      const page = await file(festival, path);
      expect(page, path).toContain("October 10 to 11, 2026");
      expect(page, path).not.toMatch(/June 27|2025-06-27/);
    }
    const calendar = await file(festival, "/festival.ics");
    expect(calendar).toContain("DTSTART:20261010T170000Z");
    expect(calendar).toContain("UID:hcf-2025@");
    // The fallback page, for paths that are not built, contains no page.
    const fallback = await file(festival, "/admin/festival");
    expect(fallback).toContain("October 10 to 11, 2026");
    expect(fallback).not.toContain("<main");
    // The card with the date drawn in would show the old one.
    expect(home).toContain("/icon-512.png");
    expect(home).not.toContain("/og.png");
  }
});

it("markup in a text stays text, in the page and in what the script reads", async () => {
  const lead = '</script><img src=x onerror=alert(1)>"offers":[] <!-- 🎉 مرحبا';
  await publish("faq", { lead });
  await within(async () => expect(await file(first, "/faq")).toContain("&lt;/script&gt;&lt;img src=x"));
  const page = await file(first, "/faq");
  expect(page).not.toContain("<img src=x");
  const [, json] = /<script type="application\/json" id="festival-content">(.*?)<\/script>/s.exec(page)!;
  expect(JSON.parse(json!)).toMatchObject({ faq: { lead }, festival: { date: "2026-10-10" } });
  expect(JSON.parse(await file(first, "/festival.json"))).toMatchObject({ faq: { lead } });
});

it("a process that starts later shows it in its first page", async () => {
  const third = await startAnother("third");
  try {
    expect(await file(third, "/")).toContain("October 10 to 11, 2026</title>");
  } finally {
    await third.stop();
  }
});

it("the specified facts return, and calendars see a newer revision", async () => {
  await publish("facts", {});
  await publish("faq", {});
  for (const [path, text] of before)
    await within(async () => expect(saidBy(await file(first, path)), path).toBe(saidBy(text)));
  const sequence = (calendar: string) => Number(/^SEQUENCE:(\d+)/m.exec(calendar)![1]);
  const [now, then] = [await file(first, "/festival.ics"), before.get("/festival.ics")!].map(sequence);
  expect(now).toBeGreaterThan(then!);
});

/** A file without its time of publication, with its JSON sorted by field. */
function saidBy(text: string): string {
  const sorted = (json: string) =>
    JSON.stringify(JSON.parse(json), (key, value: unknown) => {
      if (key === "publishedAt") return undefined;
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      return isObject ? Object.fromEntries(Object.entries(value).toSorted()) : value;
    });
  if (text.startsWith("{")) return sorted(text);
  return text
    .replace(/(?<=id="festival-content">).*?(?=<\/script>)/s, sorted)
    .replaceAll(/^(SEQUENCE|DTSTAMP|LAST-MODIFIED):.*\r\n/gm, "");
}
