import { globSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { firstContent } from "./site/first-content.ts";

/** A mock of a module must not reach the files after it, so these have a process each. */
const mocking = globSync("site/src/**/*.test.{ts,tsx}").filter((file) =>
  readFileSync(file, "utf8").includes("vi.mock("),
);

/** How long a poll waits for what is bound to happen; a busy machine may take many times Vitest's own second. */
const patience = { poll: { timeout: 20_000 } };

/** Of one test: a busy machine may take many times what it takes by itself. */
const LIMIT = 60_000;

const starting = {
  globalSetup: "tests/support/server/prepared-data.ts",
  expect: patience,
  testTimeout: 120_000,
  hookTimeout: 120_000,
};
const straining = ["tests/hostile/*.test.ts", "tests/start/attacks.test.ts"];

/** As the site is built with. */
const define = { "import.meta.env.FIRST_CONTENT": JSON.stringify(JSON.stringify(await firstContent())) };

export default defineConfig({
  test: {
    // By itself Vitest leaves one core free, which of two is half. Two more, since tests wait: for PostgreSQL's disk, a server's
    // start, a time limit that is tried. With three the two cores were idle for a fifth of the time, and a run took 16 percent
    // longer.
    maxWorkers: 4,
    projects: [
      {
        test: {
          name: "server",
          include: [
            "{sandbox,server,shop,supabase}/**/*.test.ts",
            "scripts/**/*.test.ts",
            "tests/simulator/**/*.test.ts",
            "tests/promise/**/*.test.ts",
          ],
          globalSetup: "shop/testing/postgres-setup.ts",
          // A process for each file would load the server's modules 103 times: 0.4 s of processor time each. No file mocks one.
          isolate: false,
          expect: patience,
          testTimeout: LIMIT,
          hookTimeout: LIMIT,
        },
      },
      {
        // Real `npm start` processes with ports and data folders of their own. Vitest takes projects in the order of their names:
        // the last of these files wait more than they compute, and run beside the server's instead of alone.
        test: {
          ...starting,
          name: "outside",
          include: ["tests/start/*.test.ts", "tests/crash/*.test.ts"],
          exclude: straining,
        },
      },
      {
        // Those that take all the machine has and limit how long a request waits: one after the other.
        test: {
          ...starting,
          name: "strain",
          include: straining,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        define,
        test: {
          name: "unit",
          include: ["contract/**/*.test.ts", "site/src/**/*.test.{ts,tsx}", "tests/bench/**/*.test.ts"],
          exclude: mocking,
          isolate: false,
          expect: patience,
          testTimeout: LIMIT,
        },
      },
      {
        define,
        test: { name: "unit-mocking", include: mocking, expect: patience, testTimeout: LIMIT },
      },
    ],
  },
});
