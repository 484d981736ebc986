// Rows and bytes agree whatever happens at the same moment.
import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStorage, type StorageWorld } from "../../../testing/storage.ts";

let world: StorageWorld;
beforeAll(async () => {
  world = await openStorage();
});
afterAll(() => world?.close());

const papers = () => world.clients.service.storage.from("papers");
const textOf = async (name: string) => (await papers().download(name)).data?.text();

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
