// Every command explains itself, and does nothing that it was not asked for.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};
/** Servers read their environment only, and other programs have their own help. */
const commands = Object.entries(scripts).flatMap(([name, script]) => {
  const file = script.replace("scripts/run.mjs test", "scripts/test.ts").split(" ")[1];
  return file?.endsWith(".ts") ? [[name === "test" ? "npm test" : `npm run ${name}`, file]] : [];
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "festival-commands-"));
  writeFileSync(join(folder, "secrets.json"), "{}");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The commands share most of their modules: with the compiled ones kept, one takes 0.06 s of processor time instead of 0.15. */
const NODE_COMPILE_CACHE = join(root, "node_modules/.cache/node");

const called = (file: string, option: string) =>
  new Promise<{ status: unknown; stdout: string; stderr: string }>((done) => {
    const env = { ...process.env, DATA_DIR: folder, DATABASE_URL: "", NODE_COMPILE_CACHE };
    execFile(process.execPath, [join(root, file), option], { cwd: folder, env }, (error, stdout, stderr) =>
      done({ status: error ? error.code : 0, stdout, stderr }),
    );
  });

it.each(commands)("%s (%s) prints its usage, and does nothing", async (command, file) => {
  const { status, stdout, stderr } = await called(file, "--help");
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(new RegExp(`^Usage: ${command}\\b`));
  expect(readdirSync(folder)).toEqual(["secrets.json"]);
  expect(readFileSync(join(folder, "secrets.json"), "utf8")).toBe("{}");
});

it("an unknown option is answered with the usage, without a stack", async () => {
  const { status, stderr } = await called("scripts/seed-large.ts", "--visitors=3");
  expect(status).toBe(2);
  expect(stderr).toContain("'--visitors'");
  expect(stderr).toContain("Usage: npm run seed:large [-- --tickets N --visits N --scans N]");
  expect(stderr).not.toContain("node:internal");
});

it("finds the commands", () => expect(commands.length).toBeGreaterThan(15));
