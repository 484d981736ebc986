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
    address: "192.0.2.1",
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

it("evaluates no filter before it was checked", async () => {
  const changes = createChanges({ database: db.database, replicationUrl: db.url, log });
  const request = { event: "*", schema: "public", table: "products" } as const;
  const heard = () => {
    const [onChanges, onEnded] = [vi.fn(), vi.fn()];
    return {
      address: "192.0.2.1",
      claims: () => ({ role: "service_role" }),
      onChanges,
      onResumed() {},
      onEnded,
    };
  };
  const listener = { ...heard(), inTurn: <T>(check: () => Promise<T>) => check() };
  await changes.subscribe(listener, [{ id: 1, request }]);
  const turn = Promise.withResolvers<void>();
  const stranger = {
    ...heard(),
    inTurn: async <T>(check: () => Promise<T>) => {
      await turn.promise;
      return check();
    },
  };
  const filter = "id=is.null or ('leak' || current_user)::int = 1";
  const refused = expect(
    changes.subscribe(stranger, [{ id: 2, request: { ...request, filter } }]),
  ).rejects.toThrow("invalid value for is filter");
  await db.database
    .asService("the test changes stock")
    .query("update ticket_types set description = description || '.'");
  await expect.poll(() => listener.onChanges.mock.calls.length).toBeGreaterThan(0);
  expect(stranger.onChanges).not.toHaveBeenCalled();
  expect(stranger.onEnded).not.toHaveBeenCalled();
  turn.resolve();
  await refused;
  changes.unsubscribe(listener);
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
