import pg from "pg";
import { expect, it, vi } from "vitest";
import { cloneDatabase } from "../../../testing/database.ts";
import { createLog } from "../../platform/log.ts";
import { ChangeDelivery } from "./delivery.ts";
import { createSubscriptions } from "./subscriptions.ts";

it("waits for a commit that reaches the log before its rows are visible", async () => {
  const { database, url, close } = await cloneDatabase();
  const writer = new pg.Client({ connectionString: url });
  await writer.connect();
  await writer.query(`
    create table public.notes (id integer primary key);
    grant select on public.notes to authenticated`);
  const { rows } = await writer.query("select 'public.notes'::regclass::oid::integer as oid");
  const onChange = vi.fn();
  const subscriber = {
    inTurn: (work: () => Promise<any>) => work(),
    claims: () => ({ role: "authenticated" }),
    onChange,
    onResumed() {},
    onEnded() {},
  };
  const subscriptions = createSubscriptions();
  subscriptions.add(subscriber, [
    {
      id: 7,
      event: "*",
      schema: "public",
      table: "notes",
      filter: undefined,
      conditions: [],
      select: undefined,
      subscriber,
    },
  ]);
  const asked = vi.spyOn(database, "run");
  const delivery = new ChangeDelivery(database, subscriptions, createLog("silent"));

  await writer.query("begin");
  await writer.query("insert into public.notes values (1)");
  const { rows: numbers } = await writer.query(
    "select (pg_current_xact_id()::text::bigint % 4294967296)::text as transaction",
  );
  const delivered = delivery.deliver([
    {
      type: "INSERT",
      relation: { relationOid: rows[0].oid, schema: "public", name: "notes" } as never,
      row: { id: "1" },
      formerKey: undefined,
      committedAt: new Date().toISOString(),
      transaction: Number(numbers[0].transaction),
    },
  ]);
  // It has queried, seen nothing, and queried again.
  const questions = () =>
    asked.mock.calls.filter(([, { text }]) => text.includes("pg_current_snapshot")).length;
  await expect.poll(questions).toBeGreaterThan(1);
  expect(onChange).not.toHaveBeenCalled();
  await writer.query("commit");
  await delivered;
  expect(onChange).toHaveBeenCalledExactlyOnceWith({ ids: [7], data: expect.any(String) });
  expect(JSON.parse(onChange.mock.calls[0]![0].data)).toMatchObject({ type: "INSERT", record: { id: 1 } });

  await writer.end();
  await close();
});
