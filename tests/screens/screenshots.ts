// `npm run screenshots`: every route and state at six widths from a small phone to a desktop, and the printed pages, into
// ./screenshots, for people to look at. Words on the command line choose series, pictures or widths: `npm run screenshots --
// visitor`, `npm run screenshots -- checkout menu`, `npm run screenshots -- admin 390 1280`.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium } from "@playwright/test";
import { commandLine } from "../../scripts/command-line.ts";
import { alive } from "../support/page/alive.ts";
import { fakeCamera } from "../support/gate/fake-camera.ts";
import {
  type Festival,
  removeFolder,
  root,
  startFestival,
  temporaryFolder,
} from "../support/server/festival.ts";
import { shootBackOffice } from "./back-office.ts";
import { shootBuyer } from "./buyer.ts";
import { shootGate } from "./gate.ts";
import { shootPaper } from "./paper.ts";
import type { Studio } from "./studio.ts";
import { shootVisitor } from "./visitor.ts";

const WIDTHS = [320, 390, 820, 1024, 1280, 1440];
const series = {
  visitor: shootVisitor,
  buyer: shootBuyer,
  admin: shootBackOffice,
  gate: shootGate,
  paper: shootPaper,
} as const;

const { positionals: asked } = commandLine(
  `npm run screenshots [-- widths, pictures or series], of the series ${Object.keys(series).join(", ")}`,
  { allowPositionals: true },
);
const widths = WIDTHS.filter((width) => asked.includes(String(width)));
const words = asked.filter((word) => !WIDTHS.includes(Number(word)));
const named = Object.keys(series).filter((name) => words.includes(name));
const folder = join(root, "screenshots");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const dataDir = temporaryFolder();
const festival = await startFestival({ dataDir });
const browser = await chromium.launch((await fakeCamera()).launchOptions);
try {
  for (const [name, shootSeries] of Object.entries(series)) {
    if (named.length > 0 && !named.includes(name)) continue;
    for (const width of widths.length > 0 ? widths : WIDTHS)
      await shootSeries(await openStudio(browser, festival, width));
  }
} finally {
  await browser.close();
  await festival.stop();
  removeFolder(dataDir);
}

async function openStudio(on: Browser, { url, status }: Festival, width: number): Promise<Studio> {
  const context = await on.newContext({
    baseURL: url,
    viewport: { width, height: width < 800 ? 844 : 900 },
    reducedMotion: "reduce",
    timezoneId: "America/Chicago",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  return {
    page,
    width,
    status,
    async shoot(name) {
      if (words.length > 0 && named.length === 0 && !words.some((word) => name.includes(word))) return;
      // Waits until fonts and everything else have loaded, unless the picture shows the loading state.
      await alive(page);
      const loading = page.locator("[data-loading]").first();
      await loading.waitFor({ state: "hidden", timeout: 5_000 }).catch(() => {});
      await page.evaluate(() => document.fonts.ready.then(() => scrollTo(0, 0)));
      const { width, height } = page.viewportSize()!;
      const path = join(folder, `${name}-${height < width / 2 ? `${width}x${height}` : width}.png`);
      await page.screenshot({ path, fullPage: true, animations: "disabled" });
      console.log(path);
    },
  };
}
