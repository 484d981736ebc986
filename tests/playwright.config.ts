// Journeys in a real browser against a real `npm start`; support/server/global-setup.ts starts it on an empty data folder.
import { defineConfig } from "@playwright/test";
import { chromiumLaunch } from "./support/page/chromium.ts";

export default defineConfig({
  testDir: "browser",
  outputDir: "../test-results",
  globalSetup: "./support/server/global-setup.ts",
  fullyParallel: true,
  // One more than the gate has cores: with two they were idle for a sixth of the time, and a run took 15 percent longer.
  workers: 3,
  forbidOnly: process.env.CI === "true",
  timeout: 60_000,
  globalTimeout: 40 * 60_000,
  // The second attempt tells flaky from broken; the run fails either way.
  retries: process.env.CI === "true" ? 1 : 0,
  failOnFlakyTests: true,
  expect: { timeout: 15_000 },
  projects: [
    // Its tests run one after the other on their own server, so it starts first to avoid finishing alone.
    { name: "waiting room", testMatch: "waiting-room.spec.ts" },
    { name: "shop", testIgnore: "waiting-room.spec.ts" },
  ],
  use: {
    launchOptions: await chromiumLaunch(),
    viewport: { width: 1280, height: 800 },
    timezoneId: "America/Chicago",
    actionTimeout: 15_000,
    navigationTimeout: 30_000,
    // Recording costs every test; `--trace=on` records one that fails.
    trace: "on-first-retry",
    // The scroll reveals would only make tests wait. Tests that need motion enable it.
    contextOptions: { reducedMotion: "reduce" },
  },
});
