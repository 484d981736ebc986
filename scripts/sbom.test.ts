import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, it } from "vitest";

it("npm lists every library with its version, as docs/OPERATING.md says", () => {
  const args = ["sbom", "--sbom-format=cyclonedx", "--package-lock-only", "--loglevel=error"];
  const list = spawnSync("npm", args, { cwd: resolve(import.meta.dirname, ".."), encoding: "utf8" });
  expect(list.stderr).toBe("");
  const { components } = JSON.parse(list.stdout) as { components: { name: string; version: string }[] };
  const versions = new Map(components.map(({ name, version }) => [name, version]));
  for (const name of [
    "shop",
    "server",
    "sandbox",
    "site",
    "contract",
    "pg",
    "hono",
    "react",
    "zod",
    "vitest",
  ])
    expect(versions.get(name), name).toMatch(/^\d+\.\d+\.\d+/);
});
