// `npm run dev` on a copy of the checkout, so that files can be changed: a page, a change of it, and a change of the SQL.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { appendFileSync, cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { processesUsing, removeFolder, root, temporaryFolder } from "../support/server/festival.ts";
import { freePort } from "../support/server/free-port.ts";

let checkout: string;
let dev: ChildProcess;
let site: string;
let output = "";

beforeAll(async () => {
  checkout = temporaryFolder();
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  }).split("\0");
  for (const file of files.filter(Boolean)) cpSync(join(root, file), join(checkout, file));
  symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"));
  const port = await freePort();
  site = `http://localhost:${port}`;
  dev = spawn(process.execPath, ["scripts/run.mjs", "dev"], {
    cwd: checkout,
    env: { ...process.env, NODE_ENV: "", VITEST: "", PORT: String(port), DATA_DIR: join(checkout, "data") },
  });
  for (const stream of [dev.stdout!, dev.stderr!]) stream.on("data", (chunk: Buffer) => (output += chunk));
});
afterAll(() => {
  dev.kill("SIGKILL");
  removeFolder(checkout);
});

const read = async (path: string) => {
  const answer = await fetch(site + path).catch(() => undefined);
  return answer?.status === 200 ? answer.text() : answer?.status;
};

it("shows a page, and the page as it is after a change of its source", async () => {
  await expect.poll(() => read("/faq"), { timeout: 60_000 }).toContain("<!DOCTYPE html>");
  const source = join(checkout, "site/src/app/routes/faq.tsx");
  writeFileSync(
    source,
    readFileSync(source, "utf8").replace("Frequently Asked Questions", "Asked and Answered"),
  );
  await expect.poll(() => read("/faq")).toContain("<title>Asked and Answered");
});

it("restarts with a new migration, and asks before it replaces data that an edited one was made with", async () => {
  const migrations = join(checkout, "supabase/migrations");
  const { values } = JSON.parse(readFileSync(join(checkout, "data/status.json"), "utf8"));
  const answer = async () =>
    (await fetch(`${site}/rest/v1/planted_news?apikey=${values.ANON_KEY}`).catch(() => undefined))?.status;
  expect(await answer()).toBe(404);
  writeFileSync(join(migrations, "20991231000000_news.sql"), "create table public.planted_news (id int);");
  await expect.poll(answer, { timeout: 60_000 }).toBe(401); // it exists, and nobody may read it

  appendFileSync(join(migrations, readdirSync(migrations)[0]!), "-- edited\n");
  await expect.poll(() => output, { timeout: 60_000 }).toContain("Start with new data");
  expect(await read("/faq")).toContain("<!DOCTYPE html>");
  dev.stdin!.write("y\n");
  const kept = () => readdirSync(checkout).filter((name) => name.startsWith("data.until-"));
  await expect.poll(() => kept().length, { timeout: 60_000 }).toBe(1);
  await expect.poll(() => read("/health"), { timeout: 60_000 }).toContain("ok");
  expect(readdirSync(join(checkout, kept()[0]!))).toContain("postgres");
});

it("stops everything it started", async () => {
  const ended = new Promise((done) => dev.once("exit", done));
  dev.kill("SIGTERM");
  expect(await ended).toBe(0);
  await expect.poll(() => processesUsing(checkout)).toEqual([]);
});
