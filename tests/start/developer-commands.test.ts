// The commands for developers, each called by its name with the least work it can do: what a page documents must run.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serviceClient } from "../support/server/clients.ts";
import { type Festival, removeFolder, root, startFestival } from "../support/server/festival.ts";
import { preparedFolder } from "../support/server/prepared-data.ts";

/** `npm run NAME`; resolves with its exit status and everything it printed. */
function run(name: string, args: readonly string[], dataDir = ""): Promise<{ status: number; text: string }> {
  return new Promise((done) => {
    execFile(
      "npm",
      ["run", name, "--", ...args],
      { cwd: root, env: { ...process.env, NODE_ENV: "", VITEST: "", DATA_DIR: dataDir } },
      (error, stdout, stderr) => done({ status: error ? Number(error.code ?? 1) : 0, text: stdout + stderr }),
    );
  });
}

describe("on a running server", () => {
  let dataDir: string;
  let festival: Festival;
  beforeAll(async () => {
    dataDir = preparedFolder();
    festival = await startFestival({ dataDir });
  });
  afterAll(async () => {
    await festival.stop();
    removeFolder(dataDir);
  });

  it("lighthouse measures a page", async () => {
    const { text } = await run("lighthouse", ["--runs", "1", "--pages", "/faq"], dataDir);
    expect(text).toMatch(/\/faq\s*│\s*\d+\s*│\s*100/);
  });

  it("seed:large adds a history", async () => {
    expect(await run("seed:large", ["--tickets", "50", "--visits", "50"], dataDir)).toMatchObject({
      status: 0,
    });
    const { count } = await serviceClient(festival.status)
      .from("site_visits")
      .select("id", { count: "exact", head: true });
    expect(count).toBeGreaterThanOrEqual(50); // Lighthouse's own visit may be among them
  });

  it("new-data leaves the data of a running server alone", async () => {
    expect(await run("new-data", [], dataDir)).toMatchObject({
      status: 1,
      text: expect.stringContaining("Stop it first"),
    });
    expect(existsSync(join(dataDir, "postgres"))).toBe(true);
  });
});

it("new-data keeps the earlier data beside the folder", async () => {
  const parent = preparedFolder();
  const dataDir = join(parent, "data");
  mkdirSync(join(dataDir, "postgres"), { recursive: true });
  expect(await run("new-data", [], dataDir)).toMatchObject({ status: 0 });
  const kept = readdirSync(parent).filter((name) => name.startsWith("data.until-"));
  expect(kept).toHaveLength(1);
  expect([existsSync(dataDir), existsSync(join(parent, kept[0]!, "postgres"))]).toEqual([false, true]);
  removeFolder(parent);
});

it.each(["rotate-entry-key", "rotate-signing-key"])("%s makes a key for the next start", async (name) => {
  const dataDir = preparedFolder();
  expect(await run(name, [], dataDir)).toMatchObject({ status: 0, text: expect.stringContaining("new") });
  removeFolder(dataDir);
});

it("screenshots takes the pictures that it was asked for", async () => {
  rmSync(join(root, "screenshots/faq-390.png"), { force: true });
  expect(await run("screenshots", ["visitor", "faq", "390"])).toMatchObject({ status: 0 });
  expect(existsSync(join(root, "screenshots/faq-390.png"))).toBe(true);
});

it.each([
  ["simulate", ["--runs", "1", "--workers", "1"], "1 of 1 runs sound"],
  ["hostile", ["--requests", "100", "--attacks", "false"], "Nothing but refusals"],
  ["bench", ["P1", "--pairs", "2", "--slice", "0.5"], "Every answer's content was checked."],
  ["launch", ["--buyers", "8", "--within", "1"], "no mail is missing, and the books balance."],
])("%s runs to its end", async (name, args, said) => {
  expect(await run(name, args)).toMatchObject({ status: 0, text: expect.stringContaining(said) });
});
