// A data folder has one server at a time, however others reach it.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { socketFolder } from "./platform/local-socket.ts";

let folder: string;
const started: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "festival-folder-"));
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Its own processes, network and shared memory, like a container's. */
const NAMESPACES = [
  "--user",
  "--map-root-user",
  "--pid",
  "--fork",
  "--kill-child",
  "--mount-proc",
  "--net",
  "--ipc",
];
const CONTAINER = ["unshare", ...NAMESPACES];
const mayIsolate = spawnSync(CONTAINER[0]!, [...CONTAINER.slice(1), "true"]).status === 0;

/** Claims the folder the given number of times at once, prints each outcome, and stays alive. */
const CLAIM = `
  const { claimDataFolder } = await import(${JSON.stringify(new URL("./data-folder.ts", import.meta.url).href)});
  const [, dataDir, times] = process.argv;
  const claims = Array.from({ length: Number(times) }, () => claimDataFolder(dataDir));
  const outcomes = await Promise.allSettled(claims);
  console.log(JSON.stringify(outcomes.map(({ reason }) => reason?.message ?? "claimed")));
  setInterval(() => {}, 60_000);
`;

function claim(dataDir: string, times = 1, inside: readonly string[] = []): Promise<string[]> {
  const node = [process.execPath, "--input-type=module", "-e", CLAIM, dataDir, String(times)];
  const [command, ...args] = [...inside, ...node] as [string, ...string[]];
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  started.push(child);
  return new Promise((said, fail) => {
    child.stdout.once("data", (line) => said(JSON.parse(String(line))));
    child.once("exit", () => fail(new Error("ended without a word")));
  });
}

const NOBODY = 65_534;
const isRoot = process.getuid!() === 0;

it.runIf(isRoot)("is the service's again after a command that root ran on it", async () => {
  chownSync(folder, NOBODY, NOBODY);
  expect(await claim(folder)).toEqual(["claimed"]);
  const asService = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
  expect(await claim(folder, 1, asService)).toEqual([expect.stringContaining("already runs")]);
  await endOfThe(started[0]!);
  expect(await claim(folder, 1, asService)).toEqual(["claimed"]);
});

it.runIf(isRoot)("is not reported as free, or as no backup, to a user who may not read it", () => {
  writeFileSync(join(folder, "status.json"), "{}");
  writeFileSync(join(folder, "backup.json"), "{}");
  const run = (name: string, ...args: string[]) =>
    spawnSync(
      process.execPath,
      [fileURLToPath(new URL(`../../scripts/${name}.ts`, import.meta.url)), ...args],
      {
        ...{ uid: NOBODY, gid: NOBODY, encoding: "utf8", env: { DATA_DIR: folder } },
      },
    );
  const refused = { status: 1, stderr: expect.stringContaining(`This user may not read ${folder} (EACCES)`) };
  expect(run("status")).toMatchObject(refused);
  expect(run("restore", folder)).toMatchObject(refused);
  expect(run("doctor")).toMatchObject({
    status: 1,
    stdout: expect.stringContaining("This user may not read"),
  });
});

function endOfThe(child: ChildProcess): Promise<unknown> {
  const ended = new Promise((done) => child.once("exit", done));
  child.kill("SIGKILL");
  return ended;
}

it("belongs to one of several servers that start at once, also after one was killed", async () => {
  for (const start of ["first", "after kill -9"]) {
    writeFileSync(join(folder, "status.json"), "what a killed server said of itself");
    const said = await claim(folder, 3);
    const refused = expect.stringContaining(`already runs on the data folder ${folder}`);
    expect(
      said.toSorted((a, b) => b.length - a.length),
      start,
    ).toEqual([refused, refused, "claimed"]);
    await endOfThe(started.pop()!);
  }
  expect(readdirSync(folder).toSorted()).toEqual(["server.pid", "server.sock"]);
});

it.runIf(mayIsolate).each([
  ["a short path", "data"],
  ["a path longer than a socket's may be", "d".repeat(120)],
])("is refused to another container, with %s", async (_what, name) => {
  const dataDir = join(folder, name);
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "server.pid"), "1"); // of an earlier container: proves nothing
  expect(await claim(dataDir)).toEqual(["claimed"]);
  // The second container does not see what the first keeps below /tmp either.
  const hidden = `[ "$0" = "${dataDir}" ] || [ ! -d "$0" ] || mount -t tmpfs -o mode=700 none "$0"; exec "$@"`;
  const inside = [...CONTAINER, "sh", "-c", hidden, socketFolder(dataDir)];
  expect(await claim(dataDir, 1, inside)).toEqual([expect.stringContaining("already runs")]);
});

/** Fills a disk of 256 KB, makes room, and prints the probe's answer each time. */
const FULL = `
  const { createWriteProbe } = await import(${JSON.stringify(new URL("./data-folder.ts", import.meta.url).href)});
  const { rmSync, writeFileSync, readdirSync } = await import("node:fs");
  const { setTimeout: sleep } = await import("node:timers/promises");
  const folder = process.argv[1];
  const answers = [await createWriteProbe(folder)()];
  try {
    writeFileSync(folder + "/all", Buffer.alloc(1024 * 1024));
  } catch {}
  const probe = createWriteProbe(folder);
  answers.push(await probe());
  rmSync(folder + "/all");
  while (!(await probe())) await sleep(50);
  console.log(JSON.stringify([...answers, await probe(), readdirSync(folder)]));
`;

it.runIf(mayIsolate)("accepts writes until its disk is full, and again when there is room", () => {
  const disk = 'mount -t tmpfs -o size=256k none "$0" && exec "$@" "$0"';
  const node = [process.execPath, "--input-type=module", "-e", FULL];
  const { stdout } = spawnSync(CONTAINER[0]!, [...CONTAINER.slice(1), "sh", "-c", disk, folder, ...node], {
    encoding: "utf8",
  });
  expect(JSON.parse(stdout)).toEqual([true, false, true, []]);
});
