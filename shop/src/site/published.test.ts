import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";
import { expect, it, onTestFinished, vi } from "vitest";
import { contentOf } from "contract/festival/facts";
import type { Sections } from "contract/festival/sections";
import festival from "../../../supabase/festival.json" with { type: "json" };
import { createLog } from "../../../server/src/platform/log.ts";
import { createPublished, FOLLOWS, type PublishedSource } from "./published.ts";
import { StaticSite } from "./static-site.ts";
import { trustedOrigins } from "./trusted-origins.ts";

const seeded = festival.sections as Sections;

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
  return { published, render, changed, publish: () => publication() };
}

it("serves the built files while nothing else is published", async () => {
  const { published, render } = open(async () => structuredClone(seeded));
  await published.awaited();
  expect(published.awaited()).toBeUndefined();
  expect(published.file("/faq/index.html")).toBeUndefined();
  expect(render).not.toHaveBeenCalled();
});

it("makes the first page wait for what is published, and follows each publication after it", async () => {
  let said = saying("One");
  const { published, changed, publish } = open(async () => said);
  await published.awaited();
  expect(String(published.file("/faq/index.html"))).toBe("One");
  said = saying("Two");
  publish();
  await expect.poll(() => String(published.file("/faq/index.html"))).toBe("Two");
  said = seeded;
  publish();
  await expect.poll(() => published.file("/faq/index.html")).toBeUndefined();
  expect(changed).toHaveBeenCalledTimes(3);
});

it("renders the latest publication when publications overtake a rendering", async () => {
  let said = saying("One");
  const { published, render, publish } = open(async () => said);
  const { promise, resolve } = Promise.withResolvers<ReadonlyMap<string, string>>();
  render.mockImplementationOnce(() => promise);
  const first = published.awaited();
  await expect.poll(() => render.mock.calls.length).toBeGreaterThan(0);
  said = saying("Two");
  publish();
  resolve(new Map([["/faq/index.html", "One"]]));
  await first;
  expect(String(published.file("/faq/index.html"))).toBe("Two");
});

it("keeps the old pages when a section is missing, or when rendering fails", async () => {
  let said: Partial<Sections> = saying("One");
  const { published, render, publish } = open(async () => said);
  await published.awaited();
  said = {};
  publish();
  said = saying("Two");
  render.mockRejectedValueOnce(new Error("no such page"));
  publish();
  await expect.poll(() => render.mock.calls.length).toBe(2);
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

it("serves the latest publication, even if an earlier one takes longer to compress", async () => {
  const directory = mkdtempSync(join(tmpdir(), "festival-site-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, "faq"));
  writeFileSync(join(directory, "faq/index.html"), "Built");
  writeFileSync(join(directory, "festival.json"), JSON.stringify(contentOf(seeded)));
  const long = randomBytes(250_000).toString("hex");
  const rendered: string[] = [];
  let said = seeded;
  let publication = () => {};
  const site = new StaticSite({
    directory,
    meta: {},
    siteUrl: () => "http://localhost",
    offers: async () => [],
    published: {
      read: async () => said,
      listen: (onPublication) => void (publication = onPublication),
      render: async ({ faq: { lead } }) => {
        rendered.push(lead);
        return new Map([["/faq/index.html", lead === "Long" ? long : lead]]);
      },
      log: createLog("silent"),
    },
    trustedOrigins: trustedOrigins({}),
  });
  const server = createServer((request, response) => void site.serve(request, response, request.url!));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const page = async () => {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/faq/`, {
      headers: { "accept-encoding": "br" },
    });
    return [await answer.text(), answer.headers.get("content-encoding")];
  };
  await expect.poll(page).toEqual(["Built", "br"]);

  said = saying("Long");
  publication();
  await expect.poll(() => rendered).toEqual(["Long"]);
  said = saying("Last");
  publication();
  await expect.poll(page).toEqual(["Last", "br"]);
  await promisify(brotliCompress)(long);
  expect(await page()).toEqual(["Last", "br"]);
});
