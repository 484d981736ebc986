import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../../testing/database.ts";
import { createLog } from "../../platform/log.ts";
import { createChanges, type Subscriber } from "./index.ts";
import { WalStream } from "./wal/wal-stream.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db?.close());

const log = createLog("silent");
const slots = async () =>
  (
    await db.database
      .asService("the test looks at slots")
      .query("select from pg_replication_slots where database = current_database()")
  ).rowCount;

it("reads nothing for a subscriber that leaves while its request is checked", async () => {
  const changes = createChanges({ database: db.database, replicationUrl: db.url, log });
  const subscriber: Subscriber = {
    claims: () => ({ role: "service_role" }),
    async inTurn(check) {
      changes.unsubscribe(subscriber);
      return check();
    },
    onChanges() {},
    onResumed() {},
    onEnded() {},
  };
  const request = { event: "*", schema: "public", table: "orders" } as const;
  await changes.subscribe(subscriber, [{ id: 1, request }]);
  expect(await slots()).toBe(0);
  await changes.close();
});

it("starts again when a subscriber arrives while it is still closing", async () => {
  const onResumed = vi.fn();
  const stream = new WalStream({ url: db.url, silence: 15_000, log, onChanges() {}, onResumed });
  await stream.start();
  const stopped = stream.stop();
  await stream.start();
  await stopped;
  expect(onResumed).not.toHaveBeenCalled();
  // PostgreSQL drops a slot a moment after its connection ends.
  await expect.poll(slots).toBe(1);
  await stream.stop();
  await expect.poll(slots).toBe(0);
});
