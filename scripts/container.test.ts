import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const lines = read("docs/Containerfile").split("\n");
const said = (word: string) =>
  lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));

it("copies only what is in the repository, and every workspace's package.json", () => {
  const copied = said("COPY")
    .filter((line) => !line.startsWith("--from"))
    .flatMap((line) => line.split(" ").slice(0, -1));
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const { workspaces } = JSON.parse(read("package.json")) as { workspaces: string[] };
  expect(copied).toEqual(expect.arrayContaining(workspaces.map((workspace) => `${workspace}/package.json`)));
});

it("starts the server's entry point with the image's own Node", () => {
  expect(said("CMD").map((line) => JSON.parse(line))).toEqual([["node", "shop/src/main.ts"]]);
  expect(existsSync(join(root, "shop/src/main.ts"))).toBe(true);
  const oldest = Number(/versions\.node\.split\("\."\)\[0\]\) >= (\d+)/.exec(read("scripts/run.mjs"))?.[1]);
  for (const from of said("FROM").filter((base) => base.startsWith("node:")))
    expect(Number(/^node:(\d+)/.exec(from)?.[1])).toBeGreaterThanOrEqual(oldest);
});

it("runs as an ordinary user who owns the data volume", () => {
  const [environment] = said("ENV");
  expect(said("USER")).toEqual(["node"]);
  expect(environment).toContain(`DATA_DIR=${said("VOLUME")[0]}`);
  expect(said("RUN").at(-1)).toContain(`chown node:node ${said("VOLUME")[0]}`);
});

describe("docs/festival.service", () => {
  const unit = "docs/festival.service";
  const value = (name: string) => new RegExp(`^${name}=(.+)$`, "m").exec(read(unit))?.[1];

  it("starts an existing command, with an absolute path to Node", () => {
    const [program, script, ...args] = value("ExecStart")!.split(" ");
    expect(isAbsolute(program!)).toBe(true);
    expect(existsSync(join(root, script!))).toBe(true);
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    expect([scripts.start]).toEqual([["exec node", script, ...args].join(" ")]);
  });

  it("passes systemd-analyze, where that is installed", () => {
    const folder = mkdtempSync(join(tmpdir(), "festival-unit-"));
    const copy = join(folder, "festival.service");
    writeFileSync(copy, read(unit).replace("/usr/bin/node", process.execPath));
    const { error, status, stderr } = spawnSync("systemd-analyze", ["verify", copy], { encoding: "utf8" });
    rmSync(folder, { recursive: true });
    // It exits with 0 even when it warns about a value that it ignores.
    if (!error) expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it("is exposed little, as systemd-analyze sees it, where that is installed", () => {
    const security = ["security", "--offline=true", join(root, unit)];
    const { error, stdout } = spawnSync("systemd-analyze", security, { encoding: "utf8" });
    if (!error) expect(Number(/exposure level for .*: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThanOrEqual(3);
  });

  it("signals only the server, and gives it enough time to stop", () => {
    expect(value("KillMode")).toBe("mixed");
    const drainsWithin = /^const DRAINS_WITHIN_MS = ([\d_]+);$/m.exec(read("server/src/listener.ts"))?.[1];
    const drainSeconds = Number(drainsWithin?.replaceAll("_", "")) / 1000;
    // The remaining time is for running mails and jobs, and for PostgreSQL's last checkpoint.
    expect(Number(value("TimeoutStopSec"))).toBeGreaterThanOrEqual(2 * drainSeconds);
  });
});
