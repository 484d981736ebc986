// The service's files, put below a folder in place of /, and a command run with its user and settings.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { settingsIn } from "../../scripts/in-service/settings.ts";
import { removeFolder, root, temporaryFolder } from "../support/server/festival.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => removeFolder(folder));

const run = (script: string, args: readonly string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, [join(root, "scripts/run.mjs"), script, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
const install = (...more: string[]) => run("install-service", ["--root", folder, ...more]);
const read = (path: string) => readFileSync(join(folder, path), "utf8");
const modeOf = (path: string) => (statSync(join(folder, path)).mode & 0o777).toString(8);

it("says what it would do, and does nothing", () => {
  const { status, stdout } = run("install-service", ["--dry-run", "--root", folder]);
  expect(status).toBe(0);
  expect(stdout).toContain("would build the site");
  for (const path of ["etc/systemd/system/festival.service", "etc/festival.env", "usr/local/bin/festival"]) {
    expect(stdout).toContain(`would write ${join(folder, path)}`);
    expect(existsSync(join(folder, path))).toBe(false);
  }
});

it("writes unit, settings and command once, and keeps what was filled in", () => {
  expect(install().stdout).toContain("Fill in");
  const unit = read("etc/systemd/system/festival.service");
  expect(unit).toContain(`WorkingDirectory=${root}\n`);
  expect(unit).toContain(`ExecStart=${process.execPath} scripts/run.mjs start\n`);
  expect(modeOf("etc/festival.env")).toBe("600");
  expect(modeOf("usr/local/bin/festival")).toBe("755");
  expect(modeOf("var/backups/festival")).toBe("700");

  const env = join(folder, "etc/festival.env");
  writeFileSync(env, "SITE_URL=https://tickets.example.com\n", { mode: 0o600 });
  expect(install().stdout).not.toMatch(/write|create/);
  expect(read("etc/festival.env")).toBe("SITE_URL=https://tickets.example.com\n");
});

it("runs a command as the unit's user, with its settings and no others", () => {
  install();
  const env = join(folder, "settings");
  writeFileSync(env, "# the shop's\nSITE_URL=http://tickets.example.com\nMAIL_FROM=That's <a@people.test>\n");
  const unit = read("etc/systemd/system/festival.service")
    .replace("User=festival", `User=${userInfo().username}`)
    .replace("EnvironmentFile=/etc/festival.env", `EnvironmentFile=${env}`)
    .replace("/var/lib/festival", folder);
  const FESTIVAL_UNIT = join(folder, "festival.service");
  writeFileSync(FESTIVAL_UNIT, unit);
  const { status, stdout } = run("in-service", ["doctor"], { FESTIVAL_UNIT, PORT: "not of the service" });
  expect(stdout).toContain("WRONG  SITE_URL is not https");
  expect(stdout).not.toContain("NODE_ENV");
  expect(status).toBe(1);
  expect(run("in-service", ["start"], { FESTIVAL_UNIT }).stderr).toContain("Usage: festival status");
});

it("reads settings as systemd does, and refuses what it would read in another way", () => {
  const unit = "[Service]\nUser=shop\nEnvironment=A=1 B=2\nEnvironmentFile=/etc/x\n";
  const of = (text: string) => settingsIn(unit, () => text);
  expect(of(`; note\n\nB=it's "so" # all of it\nC="two words"\nD=a=b\nE=\n`)).toEqual({
    user: "shop",
    settings: { A: "1", B: `it's "so" # all of it`, C: "two words", D: "a=b", E: "" },
  });
  for (const line of [`B="half`, "B=a\\b", `B="a"b"`, "export B=1"])
    expect(() => of(`A=1\n${line}\n`)).toThrow("/etc/x, line 2");
});

/** A program of root that its service's user may only read. */
const itAsRoot = it.runIf(process.getuid?.() === 0);
itAsRoot("tells a user who may not build the site, or install, what to do", () => {
  spawnSync("chmod", ["755", folder]);
  for (const name of ["scripts", "site", "contract", "server", "shop", "supabase"])
    cpSync(join(root, name), join(folder, name), {
      recursive: true,
      filter: (path) => !/node_modules|site\/build/.test(path),
    });
  for (const name of ["package.json", "package-lock.json", "tsconfig.base.json"])
    cpSync(join(root, name), join(folder, name));
  const start = () =>
    spawnSync(process.execPath, [join(folder, "scripts/run.mjs"), "build"], {
      cwd: "/",
      encoding: "utf8",
      uid: 65534,
      gid: 65534,
    });
  const uninstalled = start();
  expect(uninstalled.stderr).toMatch(/^The dependencies are missing .* \(EACCES\)\. Run npm ci .*\n$/);
  expect(uninstalled.status).toBe(1);
  mkdirSync(join(folder, "node_modules"));
  for (const name of [".package-lock.json"])
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  const unbuilt = start();
  expect(unbuilt.stderr).toMatch(/^The site is not built, .* \(EACCES\)\. .*: npm run build\n$/);
  expect(unbuilt.status).toBe(1);
});

it("builds the site once", () => {
  expect(run("build", []).status).toBe(0);
  expect(run("build", []).stdout).toBe("The site is built already.\n");
});
