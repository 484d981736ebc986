// Where it starts: as an ordinary user with nothing but Node and PostgreSQL's programs, as on a Mac, and in a folder with a path
// of any length.
import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildSite } from "../../scripts/site-build.ts";
import { socketFolder } from "../../server/src/platform/local-socket.ts";
import {
  type Festival,
  processesUsing,
  removeFolder,
  root,
  runFestivalToItsEnd,
  startFestival,
  type StartOptions,
} from "../support/server/festival.ts";
import { prepareFolder } from "../support/server/prepared-data.ts";

const NOBODY = 65_534;
/** The user who runs the test, unless that is root. */
const uid = process.getuid!() === 0 ? NOBODY : undefined;
const mayReadCheckout =
  spawnSync(process.execPath, ["-e", "fs.readdirSync('.')"], { cwd: root, ...(uid && { uid, gid: uid }) })
    .status === 0;
/** Nobody else may look into a checkout in root's home. In CI that is no excuse. */
const isTried = mayReadCheckout || process.env.CI === "true";

let folder: string;
let running: Festival[] = [];

beforeEach(() => {
  buildSite({ announce() {} });
  folder = mkdtempSync(join(tmpdir(), "festival-"));
});
afterEach(async () => {
  for (const festival of running.splice(0)) await festival.stop("SIGINT");
  await expect.poll(() => processesUsing(folder)).toEqual([]);
  removeFolder(folder);
});

async function start(options: StartOptions): Promise<Festival> {
  const festival = await startFestival(options);
  running.push(festival);
  return festival;
}

const postmasterOf = (dataDir: string) =>
  Number(readFileSync(join(dataDir, "postgres/postmaster.pid"), "utf8").split("\n")[0]);

async function isSelling({ status, url }: Festival): Promise<boolean> {
  const answer = await fetch(`${url}/rest/v1/ticket_types`, { headers: { apikey: status.ANON_KEY! } });
  return ((await answer.json()) as object[]).length > 0;
}

describe.runIf(isTried)("an ordinary user without any other program", () => {
  beforeAll(() => {
    expect(mayReadCheckout, `an ordinary user can read the checkout, ${root}`).toBe(true);
  });
  const asOrdinaryUser = (): StartOptions => {
    if (uid) chownSync(folder, uid, uid);
    return { dataDir: join(folder, "data"), uid, env: { PATH: "/nowhere" } };
  };

  it("starts from an empty folder, and a second server is refused", async () => {
    const options = asOrdinaryUser();
    expect(await isSelling(await start(options))).toBe(true);
    const { code, output } = await runFestivalToItsEnd(options);
    expect([code, output]).toEqual([1, expect.stringContaining("already runs")]);
    expect(await isSelling(running[0]!)).toBe(true);
  });

  it("stops the PostgreSQL left behind by kill -9 of Node, and starts again", async () => {
    const options = asOrdinaryUser();
    prepareFolder(options.dataDir);
    if (uid) execFileSync("chown", ["-R", `${uid}:${uid}`, options.dataDir]);
    const killed = await start(options);
    const orphan = postmasterOf(options.dataDir);
    await killed.stop("SIGKILL");
    running = [];
    expect(processesUsing(folder)).not.toEqual([]);
    expect(await isSelling(await start(options))).toBe(true);
    expect(postmasterOf(options.dataDir)).not.toBe(orphan);
    expect(processesUsing(`-D ${options.dataDir}`)).toHaveLength(1);
  });
});

it("starts in a folder whose path has two hundred bytes and a comma, and refuses a second server there", async () => {
  const dataDir = join(folder, "deep,".repeat(40)).slice(0, 200);
  const festival = await start({ dataDir });
  expect(await isSelling(festival)).toBe(true);
  const client = new Client({ connectionString: festival.status.DB_URL });
  await client.connect();
  expect((await client.query("show data_directory")).rows).toEqual([
    { data_directory: join(dataDir, "postgres") },
  ]);
  await client.end();
  expect((await runFestivalToItsEnd({ dataDir })).output).toContain("already runs");

  const sockets = socketFolder(join(dataDir, "postgres"));
  expect(existsSync(sockets)).toBe(true);
  running = [];
  await festival.stop("SIGINT");
  expect(existsSync(sockets)).toBe(false);
});

it("does not connect through a folder below /tmp that another user created", async () => {
  const dataDir = join(folder, "x".repeat(120));
  const sockets = socketFolder(join(dataDir, "postgres"));
  mkdirSync(sockets, { mode: 0o755 });
  try {
    const { code, output } = await runFestivalToItsEnd({ dataDir });
    expect([code, output]).toEqual([1, expect.stringContaining(`${sockets} belongs to somebody else`)]);
  } finally {
    removeFolder(sockets);
  }
});

it("sends Windows to WSL at once", () => {
  const asWindows = `Object.defineProperty(process, "platform", { value: "win32" });
    process.argv = [process.execPath, "run.mjs", "start"];
    await import(${JSON.stringify(join(root, "scripts/run.mjs"))});`;
  const { status, stderr, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", asWindows], {
    encoding: "utf8",
  });
  expect([status, stdout, stderr.trim().split("\n")]).toEqual([1, "", [expect.stringContaining("WSL")]]);
});
