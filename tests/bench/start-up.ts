// P12: how long a start with nothing left to do takes until /health answers 200, compared with the minimum: an empty Node,
// and PostgreSQL on the same data folder until it answers a query. Both sides start processes and poll.
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { buildSite } from "../../scripts/site-build.ts";
import { startCluster } from "../../server/src/postgres/cluster/cluster.ts";
import { removeFolder, root, temporaryFolder } from "../support/server/festival.ts";
import { compared, type Figure, type Settings } from "./figures.ts";
import { measureInTurn, WrongAnswer } from "./pairs.ts";

const MOST_TIMES = 3;
const PATIENCE_MS = 120_000;
const PORT = 41_873;

export async function measureStartUp({ pairs }: Settings): Promise<readonly Figure[]> {
  buildSite({ announce: () => {} });
  const dataDir = temporaryFolder();
  try {
    await untilHealthy("node", dataDir); // warms the folder up
    const bare = async () => emptyNode() + (await untilQuery(join(dataDir, "postgres")));
    const goal = { atMost: MOST_TIMES };
    const against = async (what: string, measure: () => Promise<number>, held?: typeof goal) =>
      compared(what, "ms", "node -e 0 + PostgreSQL", await measureInTurn(measure, bare, pairs), held);
    return [
      await against("npm start, warm", () => untilHealthy("npm", dataDir), goal),
      await against("the same without npm", () => untilHealthy("node", dataDir), goal),
      await against("npm start of an empty script", async () => emptyScript()),
    ];
  } finally {
    removeFolder(dataDir);
  }
}

/**
 * Milliseconds from the command to the first 200. The server is then stopped, so that the next start finds a clean folder.
 */
async function untilHealthy(how: "npm" | "node", dataDir: string): Promise<number> {
  const [command, args] =
    how === "npm"
      ? (["npm", ["start"]] as const)
      : ([process.execPath, [join(root, "scripts/run.mjs"), "start"]] as const);
  const started = performance.now();
  const child = spawn(command, args, {
    cwd: root,
    detached: true, // a separate process group, because Ctrl-C in a terminal reaches all of it
    env: { ...process.env, NODE_ENV: "", PORT: String(PORT), DATA_DIR: dataDir },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk));
  const exited = new Promise<void>((done) => child.once("close", () => done()));
  try {
    while (!(await isHealthy())) {
      if (child.exitCode !== null || performance.now() - started > PATIENCE_MS) {
        throw new WrongAnswer(`${command} did not become healthy: ${errors}`);
      }
      await sleep(5); // polling more often would take a measurable part of what it measures
    }
    return performance.now() - started;
  } finally {
    if (child.exitCode === null) process.kill(-child.pid!, "SIGINT");
    await exited;
  }
}

function isHealthy(): Promise<boolean> {
  return new Promise((done) => {
    const request = get({ host: "127.0.0.1", port: PORT, path: "/health", agent: false }, (response) => {
      let body = "";
      response.on("data", (chunk: Buffer) => (body += chunk));
      response.on("end", () => done(response.statusCode === 200 && body === '{"status":"ok"}'));
    });
    request.on("error", () => done(false));
  });
}

function emptyNode(): number {
  const started = performance.now();
  const { status } = spawnSync(process.execPath, ["-e", "0"]);
  if (status !== 0) throw new WrongAnswer("An empty Node did not end well.");
  return performance.now() - started;
}

/** npm's own overhead, whatever it starts. */
function emptyScript(): number {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { start: "node -e 0" } }));
  const started = performance.now();
  const { status } = spawnSync("npm", ["start"], { cwd: folder });
  const taken = performance.now() - started;
  removeFolder(folder);
  if (status !== 0) throw new WrongAnswer("npm could not run an empty script.");
  return taken;
}

/** Milliseconds until the cluster in this folder has answered a query. */
async function untilQuery(directory: string): Promise<number> {
  const started = performance.now();
  const cluster = await startCluster(directory);
  try {
    const client = new pg.Client({ connectionString: cluster.url });
    await client.connect();
    const { rows } = await client.query<{ one: number }>("select 1 as one");
    const taken = performance.now() - started;
    if (rows[0]?.one !== 1) throw new WrongAnswer("PostgreSQL answered something else.");
    await client.end();
    return taken;
  } finally {
    await cluster.stop();
  }
}
