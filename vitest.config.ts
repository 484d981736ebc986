import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "server",
          include: ["server/**/*.test.ts", "supabase/**/*.test.ts", "scripts/**/*.test.ts"],
          globalSetup: "server/testing/postgres-setup.ts",
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: { name: "unit", include: ["contract/**/*.test.ts", "site/src/**/*.test.{ts,tsx}"] },
      },
    ],
  },
});
