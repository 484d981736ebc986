// A database that answers reads but accepts no writes is unhealthy.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../testing/database.ts";
import { openDatabase } from "./database.ts";
import { createDatabaseProbe } from "./write-probe.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db?.close());

const owner = () => db.database.asService("the test breaks the database");
const reads = async (database = db.database) =>
  (await database.run({ claims: { role: "anon" } }, { text: "select id from public.ticket_types" })).rows
    .length;

it("leaves nothing behind that grows, and blocks nobody", async () => {
  const probe = createDatabaseProbe(db.database, { warn() {} }, 0);
  const state = async () => {
    const { rows } = await owner().query(
      `select pg_relation_filenode('server_health.written') as file, pg_total_relation_size('server_health.written') as size`,
    );
    return rows[0];
  };
  expect(await probe()).toBe(true);
  const before = await state();
  for (let n = 0; n < 50; n++) expect(await probe()).toBe(true);
  expect(await state()).toEqual(before);
  // A reader of the table, such as a backup, holds a lock that a truncate would wait for.
  await owner().transaction(async (tx) => {
    await tx.query("lock table server_health.written in access share mode");
    const at = async () => (await owner().query("select at from server_health.written")).rows[0]!.at;
    const earlier = await at();
    expect(await probe()).toBe(true);
    expect(await at()).not.toEqual(earlier);
  });
});

it("runs once for many callers, on a connection that visitors cannot take", async () => {
  const run = vi.fn(db.database.run);
  const probe = createDatabaseProbe({ run: run as typeof db.database.run }, { warn() {} });
  expect(new Set(await Promise.all(Array.from({ length: 50 }, probe)))).toEqual(new Set([true]));
  expect(run).toHaveBeenCalledTimes(1);
  expect(run.mock.calls[0]![0]).toMatchObject({ reserved: true });
});

it("detects a database that became read-only, and its recovery", async () => {
  const name = new URL(db.url).pathname.slice(1);
  const during = async (setting: string) => {
    await owner().query(`alter database ${name} set default_transaction_read_only = ${setting}`);
    const database = openDatabase(db.url);
    const warn = vi.fn();
    const answer = await createDatabaseProbe(database, { warn })();
    const rows = await reads(database);
    await database.close();
    return { answer, readable: rows > 0, warned: warn.mock.calls.length };
  };
  // Resetting it is a write, which a transaction may allow for itself.
  const mend = async () => {
    await owner().transaction(async (tx) => {
      await tx.query("set transaction read write");
      await tx.query(`alter database ${name} reset default_transaction_read_only`);
    });
  };
  expect(await during("on")).toEqual({ answer: false, readable: true, warned: 1 });
  await mend();
  expect(await during("off")).toEqual({ answer: true, readable: true, warned: 0 });
});

/** Only root can mount a separate disk. */
const disk = mkdtempSync(join(tmpdir(), "festival-disk-"));
const done = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
const hasDisk = done("mount", "-t", "tmpfs", "-o", "size=512k,mode=0777", "tmpfs", disk);
afterAll(() => {
  if (hasDisk) done("umount", disk);
  rmSync(disk, { recursive: true, force: true });
});

it.runIf(hasDisk)(
  "detects a full disk, although reads are answered and rows are updated in place",
  async () => {
    await owner().query(`create tablespace small location '${disk}'`);
    try {
      await owner().query("alter function server_health.write() set temp_tablespaces = small");
      await owner().query("create table in_place tablespace small as select 1 as n");
      const probe = createDatabaseProbe(db.database, { warn() {} }, 0);
      expect(await probe()).toBe(true);
      let full = false;
      for (let n = 0; !full; n++) {
        try {
          writeFileSync(join(disk, `filling-${n}`), Buffer.alloc(8 * 1024, "x"), { flush: true });
        } catch {
          full = true;
        }
      }
      expect(await probe()).toBe(false);
      expect(await reads()).toBeGreaterThan(0);
      await owner().query("update in_place set n = n + 1");
      for (let n = 0; n < 20; n++) rmSync(join(disk, `filling-${n}`), { force: true });
      expect(await probe()).toBe(true);
    } finally {
      await owner().query("alter function server_health.write() reset temp_tablespaces");
      await owner().query("drop table if exists in_place");
      await owner().query("drop tablespace small");
    }
  },
);
