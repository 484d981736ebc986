// Rows and bytes agree whatever happens at the same moment.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStorage, type StorageWorld } from "../../../testing/storage/storage.ts";
import { createDiskStore } from "./disk-store.ts";
import type { ObjectStore } from "./object-store.ts";
import { YOUNG_MS } from "./sweeper.ts";

const home = mkdtempSync(join(tmpdir(), "storage-races-"));
const disk = createDiskStore(join(home, "objects"));
let world: StorageWorld;
let later = 0;
/** What happens just before bytes are removed, and just after a finished upload has become bytes of an object. */
const meanwhile = { removing: async () => {}, adopted: async () => {} };
const store: ObjectStore = {
  ...disk,
  async remove(versions) {
    if (versions.length > 0) await meanwhile.removing();
    await disk.remove(versions);
  },
  async adopt(version, path) {
    const file = await disk.adopt(version, path);
    await meanwhile.adopted();
    return file;
  },
};

beforeAll(async () => {
  world = await openStorage({ objectStore: store, clock: { now: () => Date.now() + later } });
});
afterAll(async () => {
  await world?.close();
  rmSync(home, { recursive: true, force: true });
});

const papers = () => world.clients.service.storage.from("papers");
const textOf = async (name: string) => (await papers().download(name)).data?.text();

it("an upload that continues after a crash keeps its bytes, even while the sweeper removes those of the crash", async () => {
  const tus = { "tus-resumable": "1.0.0", authorization: `Bearer ${world.bearer.service}` };
  const named = (text: string) => Buffer.from(text).toString("base64");
  const created = await fetch(`${world.url}/storage/v1/upload/resumable`, {
    method: "POST",
    headers: {
      ...{ ...tus, "upload-length": "100" },
      "upload-metadata": `bucketName ${named("papers")},objectName ${named("resumed.bin")}`,
    },
  });
  const url = new URL(created.headers.get("location")!, world.url);
  const body = randomBytes(100);
  meanwhile.adopted = () => Promise.reject(new Error("a crash before the row"));
  const headers = { ...tus, "upload-offset": "0", "content-type": "application/offset+octet-stream" };
  expect((await fetch(url, { method: "PATCH", headers, body })).status).toBe(500);
  meanwhile.adopted = async () => {};
  later = YOUNG_MS + 60_000;
  let offset: string | null = null;
  meanwhile.removing = async () => {
    offset ??= (await fetch(url, { method: "HEAD", headers: tus })).headers.get("upload-offset");
  };
  expect(await world.sweep()).toMatchObject({ removed: 1, lost: [] });
  meanwhile.removing = async () => {};
  expect(offset).toBe("100");
  const { data } = await papers().download("resumed.bin");
  expect(body.equals(Buffer.from(await data!.arrayBuffer()))).toBe(true);
});

it("an object that is moved while it is replaced keeps bytes under its new name", async () => {
  await papers().upload("replaced.txt", "old");
  const holder = new Client({ connectionString: world.db.url });
  await holder.connect();
  try {
    // Holds up the replacement once it knows which version it replaces.
    await holder.query(`
      create function storage.hold_up() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock_shared(17); return new; end $$;
      create trigger hold_up before insert on storage.objects for each row
        when (new.name = 'replaced.txt' and new.metadata <> '{}') execute function storage.hold_up();
      select pg_advisory_lock(17)`);
    const waiting = async () => {
      const { rows } = await holder.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rows.length;
    };
    const replacing = papers().update("replaced.txt", "new");
    await expect.poll(waiting).toBe(1);
    let hasMoved = false;
    const moving = papers()
      .move("replaced.txt", "moved.txt")
      .then(() => (hasMoved = true));
    await expect.poll(async () => hasMoved || (await waiting()) === 2).toBe(true);
    await holder.query("select pg_advisory_unlock(17)");
    expect((await replacing).error).toBeNull();
    await moving;
    expect([await textOf("moved.txt"), await textOf("replaced.txt")]).toEqual(["new", undefined]);
  } finally {
    await holder.end();
  }
});
