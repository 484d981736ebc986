import pg from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { cloneDatabase } from "../../../testing/database.ts";
import { createLog } from "../../platform/log.ts";
import { ChangeDelivery } from "./delivery.ts";
import { type ChangePayload, createSubscriptions } from "./subscriptions.ts";
import type { Change } from "./wal-connection.ts";

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let writer: pg.Client;
let relation: Change["relation"];

beforeAll(async () => {
  clone = await cloneDatabase();
  writer = new pg.Client({ connectionString: clone.url });
  await writer.connect();
  await writer.query(`
    create table public.notes (id integer primary key);
    grant select on public.notes to authenticated`);
  const { rows } = await writer.query("select 'public.notes'::regclass::oid::integer as oid");
  relation = { relationOid: rows[0].oid, schema: "public", name: "notes" } as never;
});
afterAll(async () => {
  await writer?.end();
  await clone?.close();
});

function subscribe(
  subscriptions: ReturnType<typeof createSubscriptions>,
  onChange: (payload: ChangePayload) => void,
) {
  const subscriber = {
    inTurn: (work: () => Promise<any>) => work(),
    claims: () => ({ role: "authenticated" }),
    onChange,
    onResumed() {},
    onEnded() {},
  };
  const all = { filter: undefined, conditions: [], select: undefined };
  subscriptions.add(subscriber, [
    { id: 7, event: "*", schema: "public", table: "notes", ...all, subscriber },
  ]);
}

const transactionOf = async () => {
  const { rows } = await writer.query(
    "select (pg_current_xact_id()::text::bigint % 4294967296)::text as transaction",
  );
  return Number(rows[0].transaction);
};

const inserted = (id: number, transaction: number): Change => ({
  type: "INSERT",
  relation,
  row: { id: String(id) },
  formerKey: undefined,
  committedAt: new Date().toISOString(),
  transaction,
});

it("waits for a commit that reaches the log before its rows are visible", async () => {
  const onChange = vi.fn();
  const subscriptions = createSubscriptions();
  subscribe(subscriptions, onChange);
  const asked = vi.spyOn(clone.database, "run");
  const delivery = new ChangeDelivery(clone.database, subscriptions, createLog("silent"));

  await writer.query("begin");
  await writer.query("insert into public.notes values (1)");
  const delivered = delivery.deliver([inserted(1, await transactionOf())]);
  // It has queried, seen nothing, and queried again.
  const questions = () =>
    asked.mock.calls.filter(([, { text }]) => text.includes("pg_current_snapshot")).length;
  await expect.poll(questions).toBeGreaterThan(1);
  expect(onChange).not.toHaveBeenCalled();
  await writer.query("commit");
  await delivered;
  expect(onChange).toHaveBeenCalledOnce();
  const { ids, data } = onChange.mock.calls[0]![0];
  expect(ids).toEqual([7]);
  expect(JSON.parse(data)).toMatchObject({ type: "INSERT", record: { id: 1 } });
});

it("takes a rush of changes to a crowd, all of them and in order", async () => {
  const rush = Array.from({ length: 300 }, (_, at) => 1000 + at);
  const subscriptions = createSubscriptions();
  const heard = Array.from({ length: 1000 }, () => {
    const own: string[] = [];
    subscribe(subscriptions, ({ data }) => own.push(data));
    return own;
  });
  const delivery = new ChangeDelivery(clone.database, subscriptions, createLog("silent"));
  await writer.query("insert into public.notes select unnest($1::integer[])", [rush]);
  const transaction = await transactionOf();
  await delivery.deliver(rush.map((id) => inserted(id, transaction)));
  expect(heard[0]!.map((data) => JSON.parse(data).record.id)).toEqual(rush);
  // Of the same strings: comparing lists of them would take a while.
  expect(
    heard.every((own) => own.length === rush.length && own.every((data, at) => data === heard[0]![at])),
  ).toBe(true);
});
