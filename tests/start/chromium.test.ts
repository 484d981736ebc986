// The tests' browser is the same on every machine, and looking it up leaves no trace.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { chromium } from "@playwright/test";
import { expect, it, vi } from "vitest";
import { chromiumLaunch, type ChromiumLaunch } from "../support/page/chromium.ts";

const sample = ["system-ui", "sans-serif", "monospace", "Arial", "'DejaVu Serif'", "Impact"].map(
  (family) => `<p style="font-family:${family}">Slabs &amp; swangas, $45.00 <b>“Sold Out”</b> ©</p>`,
);

async function draw(launch: ChromiumLaunch, html: string): Promise<string> {
  const browser = await chromium.launch(launch);
  try {
    const page = await browser.newPage({ viewport: { width: 600, height: 400 } });
    await page.setContent(html);
    return (await page.screenshot()).toString("base64");
  } finally {
    await browser.close();
  }
}

it("leaves the environment unchanged, so that Playwright's workers inherit nothing", async () => {
  const before = { ...process.env };
  await chromiumLaunch();
  expect(process.env).toEqual(before);
});

it("draws the same letters on a machine without any font", async () => {
  const launch = await chromiumLaunch();
  const own = launch.env.FONTCONFIG_FILE!;
  const bare = join(dirname(own), "bare.conf");
  writeFileSync(
    bare,
    readFileSync(own, "utf8").replaceAll(/<dir>\/.*<\/dir>|<dir prefix="xdg">.*<\/dir>/g, ""),
  );
  try {
    const drawn = await draw(launch, sample.join(""));
    expect(await draw({ ...launch, env: { ...launch.env, FONTCONFIG_FILE: bare } }, sample.join(""))).toBe(
      drawn,
    );
    expect(drawn).not.toBe(await draw(launch, ""));
  } finally {
    rmSync(bare);
  }
});

it("is the one that CHROMIUM_PATH names, or reports that there is none", async () => {
  vi.stubEnv("CHROMIUM_PATH", process.execPath);
  expect((await chromiumLaunch()).executablePath).toBe(process.execPath);
  vi.stubEnv("CHROMIUM_PATH", "/no/such/chromium");
  await expect(chromiumLaunch()).rejects.toThrow("CHROMIUM_PATH names /no/such/chromium");
  vi.unstubAllEnvs();
});
