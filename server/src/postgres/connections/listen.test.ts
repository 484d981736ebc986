import { afterAll, beforeAll, expect, it } from "vitest";
import { cloneDatabase, type TestDatabase } from "../../../testing/database.ts";
import { createLog } from "../../platform/log.ts";
import { listenTo } from "./listen.ts";

let db: TestDatabase;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db?.close());

const sql = (text: string) => db.database.asService("the test plays the other side").query(text);

it("reconnects when PostgreSQL stops answering, and receives messages", async () => {
  const notices: string[] = [];
  let connections = 0;
  const ear = { onNotice: (text: string) => notices.push(text), onConnected: () => connections++ };
  const listener = listenTo("bells", db.url, ear, createLog("silent"), 500);
  await expect.poll(() => connections).toBeGreaterThan(0);
  const before = connections;
  // On a busy machine the listener may replace a connection that answers late, and miss messages meanwhile.
  const { rows } = await sql(`select pid from pg_stat_activity where datname = current_database()
    and application_name like '%listener to bells' order by backend_start desc limit 1`);
  process.kill(rows[0]!.pid, "SIGSTOP");
  try {
    await expect.poll(() => connections).toBeGreaterThan(before);
    const ring = async () => {
      await sql("notify bells, 'ding'");
      return notices;
    };
    await expect.poll(ring).toContain("ding");
    await listener.close();
  } finally {
    process.kill(rows[0]!.pid, "SIGCONT");
  }
});
