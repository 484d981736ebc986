import { readFileSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { contentOf } from "contract/festival";
import type { Sections } from "contract/festival-sections";
import { createLog } from "../platform/log.ts";
import { createPublished, FOLLOWS, type PublishedSource } from "./published.ts";

const migration = new URL("../../../supabase/migrations/20250601000220_festival.sql", import.meta.url);
const seeded = Object.fromEntries(
  [...readFileSync(migration, "utf8").matchAll(/^ {2}\('(\w+)', \$json\$([\s\S]*?)\$json\$\)/gm)].map(
    ([, id, text]) => [id, JSON.parse(text!)],
  ),
) as unknown as Sections;

const saying = (lead: string): Sections => ({ ...seeded, faq: { ...seeded.faq, lead } });

function open(read: PublishedSource["read"]) {
  let publication = () => {};
  const render = vi.fn<PublishedSource["render"]>(
    async ({ faq }) => new Map([["/faq/index.html", faq.lead]]),
  );
  const changed = vi.fn<() => void>();
  const source = {
    read,
    listen: (onPublication: () => void) => void (publication = onPublication),
    render,
    log: createLog("silent"),
  };
  const published = createPublished(source, contentOf(seeded), changed);
  return { published, render, changed, tell: () => publication() };
}

it("serves the built files while nothing else is published", async () => {
  const { published, render } = open(async () => structuredClone(seeded));
  await published.awaited();
  expect(published.awaited()).toBeUndefined();
  expect(published.file("/faq/index.html")).toBeUndefined();
  expect(render).not.toHaveBeenCalled();
});

it("lets the first page wait for what is published, and follows each publication after it", async () => {
  let said = saying("One");
  const { published, changed, tell } = open(async () => said);
  await published.awaited();
  expect(String(published.file("/faq/index.html"))).toBe("One");
  said = saying("Two");
  tell();
  await vi.waitFor(() => expect(String(published.file("/faq/index.html"))).toBe("Two"));
  said = seeded;
  tell();
  await vi.waitFor(() => expect(published.file("/faq/index.html")).toBeUndefined());
  expect(changed).toHaveBeenCalledTimes(3);
});

it("renders what was published last when publications overtake a rendering", async () => {
  let said = saying("One");
  const { published, render, tell } = open(async () => said);
  const { promise, resolve } = Promise.withResolvers<ReadonlyMap<string, string>>();
  render.mockImplementationOnce(() => promise);
  const first = published.awaited();
  await vi.waitFor(() => expect(render).toHaveBeenCalled());
  said = saying("Two");
  tell();
  resolve(new Map([["/faq/index.html", "One"]]));
  await first;
  expect(String(published.file("/faq/index.html"))).toBe("Two");
});

it("keeps the old pages when a section is missing, or a page cannot be rendered", async () => {
  let said: Partial<Sections> = saying("One");
  const { published, render, tell } = open(async () => said);
  await published.awaited();
  said = {};
  tell();
  said = saying("Two");
  render.mockRejectedValueOnce(new Error("no such page"));
  tell();
  await vi.waitFor(() => expect(render).toHaveBeenCalledTimes(2));
  expect(String(published.file("/faq/index.html"))).toBe("One");
});

it.each([
  ["/index.html", true],
  ["/faq/index.html", true],
  ["/__spa-fallback.html", true],
  ["/festival.json", true],
  ["/festival.ics", true],
  ["/manifest.webmanifest", true],
  ["/assets/app-abc.js", false],
  ["/og.png", false],
])("%s follows: %s", (name, follows) => expect(FOLLOWS.test(name)).toBe(follows));
