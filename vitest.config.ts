import { defineConfig } from "vitest/config";
import { firstContent } from "./site/first-content.ts";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "server",
          include: [
            "server/**/*.test.ts",
            "supabase/**/*.test.ts",
            "scripts/**/*.test.ts",
            "tests/simulator/**/*.test.ts",
            "tests/promise/**/*.test.ts",
          ],
          globalSetup: "server/testing/postgres-setup.ts",
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        // Real `npm start` processes with ports and data folders of their own; one file at a time, they are heavy.
        test: {
          name: "start",
          include: ["tests/{start,crash,hostile}/**/*.test.ts"],
          globalSetup: "tests/support/prepared-cluster.ts",
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        define: { "import.meta.env.FIRST_CONTENT": JSON.stringify(JSON.stringify(await firstContent())) },
        test: {
          name: "unit",
          include: ["contract/**/*.test.ts", "site/src/**/*.test.{ts,tsx}", "tests/bench/**/*.test.ts"],
        },
      },
    ],
  },
});
