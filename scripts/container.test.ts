import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

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
  expect(said("CMD").map((line) => JSON.parse(line))).toEqual([["node", "server/src/main.ts"]]);
  expect(existsSync(join(root, "server/src/main.ts"))).toBe(true);
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
