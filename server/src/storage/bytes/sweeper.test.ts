// A server killed between the steps of a change leaves rows that all have their bytes, and bytes that the sweeper removes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStorage, type StorageWorld } from "../../../testing/storage/storage.ts";
import { createDiskStore } from "./disk-store.ts";
import { sweep, YOUNG_MS } from "./sweeper.ts";

let world: StorageWorld;
beforeAll(async () => {
  world = await openStorage();
});
afterAll(() => world?.close());

const papers = () => world.clients.service.storage.from("papers");
const store = () => createDiskStore(world.directory);
const later = () => Date.now() + YOUNG_MS + 60_000;
const CRASHING = join(import.meta.dirname, "../../../testing/storage/storage-crash.ts");

async function crash(step: string, name: string): Promise<void> {
  const child = spawn(process.execPath, [CRASHING, world.db.url, world.directory, step, name], {
    stdio: "inherit",
  });
  const [, signal] = await once(child, "exit");
  expect(signal).toBe("SIGKILL");
}

it.each([
  ["while new bytes are written", "writing", "a.txt", "old bytes"],
  ["before the row names the new bytes", "written", "b.txt", "old bytes"],
  ["before the old bytes are removed", "removing", "c.txt", "new bytes"],
  ["before the bytes of a removed object are", "removing", "gone.txt", undefined],
])(
  "killed %s, it leaves an object that is complete or gone, and nothing after the sweep",
  async (_, step, name, text) => {
    await papers().upload(name, "old bytes");
    await crash(step, name);
    const { data } = await papers().download(name);
    expect(await data?.text()).toBe(text);
    const rows = text === undefined ? 0 : 1;
    expect(world.files()).toBe(rows + 1);
    expect(await sweep(world.db.database, store(), Date.now())).toEqual({ removed: 0, left: 0, lost: [] });
    expect(await sweep(world.db.database, store(), later())).toEqual({ removed: 1, left: 0, lost: [] });
    expect(world.files()).toBe(rows);
    expect(await (await papers().download(name)).data?.text()).toBe(text);
    await papers().remove([name]);
  },
);

it("removes the pictures of an object whose removal was interrupted before they were", async () => {
  await papers().upload(
    "seen.png",
    await readFile(join(import.meta.dirname, "../../../../site/public/icon-192.png")),
  );
  const { version } = (await papers().info("seen.png")).data!;
  await papers().download("seen.png", { transform: { width: 20 } });
  const pictures = join(world.directory, "../renders", version);
  expect(readdirSync(pictures)).toHaveLength(1);
  await world.db.database
    .asService("a crash after this")
    .query("delete from storage.objects where name = 'seen.png'");
  await store().remove([version]);
  expect(await world.sweep()).toMatchObject({ removed: 0, lost: [], pictures: 1 });
  expect(existsSync(pictures)).toBe(false);
});

it("reports rows whose bytes are lost, and changes nothing else", async () => {
  await papers().upload("kept.txt", "kept");
  await papers().upload("lost.txt", "lost");
  const version = (await papers().info("lost.txt")).data!.version;
  rmSync(join(world.directory, version.slice(0, 2), version));
  expect(await sweep(world.db.database, store(), later())).toEqual({ removed: 0, left: 0, lost: [version] });
  expect((await papers().info("lost.txt")).error).toBeNull();
  expect(await (await papers().download("kept.txt")).data!.text()).toBe("kept");
});
