import pg from "pg";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  type MockInstance,
  vi,
} from "vitest";
import { cloneDatabase } from "../../../testing/database.ts";
import type { Claims } from "../../platform/keys/jwt.ts";
import type { Database } from "../../postgres/database.ts";
import { createLog } from "../../platform/log.ts";
import { ChangeDelivery } from "./delivery.ts";
import { FilterTime } from "./filter-time.ts";
import { parseFilter } from "./filter.ts";
import { type ChangePayload, createSubscriptions, type Subscription } from "./subscriptions.ts";
import type { Change } from "./wal/wal-connection.ts";

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let writer: pg.Client;
let relations: Record<"notes" | "remarks", Change["relation"]>;

beforeAll(async () => {
  clone = await cloneDatabase();
  writer = new pg.Client({ connectionString: clone.url });
  await writer.connect();
  await writer.query(`
    create table public.notes (id integer primary key, text text default 'said');
    create table public.remarks (id integer primary key);
    grant select on public.notes, public.remarks to authenticated`);
  relations = { notes: await relationOf("notes"), remarks: await relationOf("remarks") };
});
afterAll(async () => {
  await writer?.end();
  await clone?.close();
});

async function relationOf(name: string): Promise<Change["relation"]> {
  const { rows } = await writer.query("select $1::regclass::oid::integer as oid", [`public.${name}`]);
  return { relationOid: rows[0].oid, schema: "public", name } as never;
}

type Wanted = Partial<Omit<Subscription, "subscriber">>;

function subscribe(
  subscriptions: ReturnType<typeof createSubscriptions>,
  onChange: (change: ChangePayload) => void,
  allWanted: readonly Wanted[] = [{}],
  claims: Claims = { role: "authenticated" },
) {
  const subscriber = {
    inTurn: (work: () => Promise<any>) => work(),
    address: "192.0.2.1",
    claims: () => claims,
    onChanges: ({ changes }: { changes: readonly ChangePayload[] }) => changes.forEach(onChange),
    onResumed: vi.fn(),
    onEnded: vi.fn(),
  };
  const all = { id: 7, event: "*", schema: "public", table: "notes", filter: undefined } as const;
  subscriptions.add(
    subscriber,
    allWanted.map((wanted) => ({ ...all, conditions: [], select: undefined, ...wanted, subscriber })),
  );
  return subscriber;
}

const transactionOf = async () => {
  const { rows } = await writer.query(
    "select (pg_current_xact_id()::text::bigint % 4294967296)::text as transaction",
  );
  return Number(rows[0].transaction);
};

const inserted = (id: number, transaction: number, table: keyof typeof relations = "notes"): Change => ({
  type: "INSERT",
  relation: relations[table],
  row: { id: String(id), ...(table === "notes" && { text: "said" }) },
  formerKey: undefined,
  committedAt: new Date().toISOString(),
  transaction,
});

it("waits for a commit that reaches the log before its rows are visible", async () => {
  const onChange = vi.fn();
  const subscriptions = createSubscriptions();
  subscribe(subscriptions, onChange);
  const asked = vi.spyOn(clone.database, "run");
  const delivery = new ChangeDelivery(clone.database, subscriptions, new FilterTime(), createLog("silent"));

  await writer.query("begin");
  await writer.query("insert into public.notes values (10)");
  const delivered = delivery.deliver([inserted(10, await transactionOf())]);
  // By now it has queried, seen nothing, and queried again.
  const questions = () =>
    asked.mock.calls.filter(([, { text }]) => text.includes("pg_current_snapshot")).length;
  await expect.poll(questions).toBeGreaterThan(1);
  expect(onChange).not.toHaveBeenCalled();
  await writer.query("commit");
  await delivered;
  expect(onChange).toHaveBeenCalledOnce();
  const { ids, data } = onChange.mock.calls[0]![0];
  expect(ids).toEqual([7]);
  expect(JSON.parse(data)).toMatchObject({ type: "INSERT", record: { id: 10 } });
});

it("delivers a rush of changes to a crowd, all of them and in order", async () => {
  const rush = Array.from({ length: 300 }, (_, at) => 1000 + at);
  const subscriptions = createSubscriptions();
  const heard = Array.from({ length: 1000 }, () => {
    const own: string[] = [];
    subscribe(subscriptions, ({ data }) => own.push(data));
    return own;
  });
  const delivery = new ChangeDelivery(clone.database, subscriptions, new FilterTime(), createLog("silent"));
  await writer.query("insert into public.notes select unnest($1::integer[])", [rush]);
  const transaction = await transactionOf();
  await delivery.deliver(rush.map((id) => inserted(id, transaction)));
  expect(heard[0]!.map((data) => JSON.parse(data).record.id)).toEqual(rush);
  // The strings are the same objects, so this is fast. Comparing lists of them would take a while.
  expect(
    heard.every((own) => own.length === rush.length && own.every((data, at) => data === heard[0]![at])),
  ).toBe(true);
});

it("sends each subscriber what it requested, changes of several tables in the order of the log", async () => {
  const subscriptions = createSubscriptions();
  const listen = (...allWanted: readonly Wanted[]) => {
    const heard: string[] = [];
    const onChange = ({ ids, data }: ChangePayload) => {
      const { table, record } = JSON.parse(data);
      heard.push(`${ids.join("+")} ${table} ${Object.values(record).join(" ")}`);
    };
    subscribe(subscriptions, onChange, allWanted);
    return heard;
  };
  const both = listen({ id: 1 }, { id: 2, table: "remarks" });
  const asBoth = listen({ id: 1 }, { id: 2, table: "remarks" });
  const keys = listen({ id: 1, select: ["id"] }, { id: 2, table: "remarks" });
  const twice = listen({ id: 3 }, { id: 4, event: "INSERT" }, { id: 5, event: "UPDATE" });
  const any = listen({ id: 6, table: "*" });
  const delivery = new ChangeDelivery(clone.database, subscriptions, new FilterTime(), createLog("silent"));
  await writer.query("insert into public.notes select generate_series(1, 3)");
  await writer.query("insert into public.remarks select generate_series(1, 2)");
  const transaction = await transactionOf();
  const changes = [
    ["notes", 1],
    ["remarks", 1],
    ["notes", 2],
    ["remarks", 2],
    ["notes", 3],
  ] as const;
  await delivery.deliver(changes.map(([table, id]) => inserted(id, transaction, table)));
  expect(both).toEqual(["1 notes 1 said", "2 remarks 1", "1 notes 2 said", "2 remarks 2", "1 notes 3 said"]);
  expect(asBoth).toEqual(both);
  expect(keys).toEqual(both.map((line) => line.replace(" said", "")));
  expect(twice).toEqual(["3+4 notes 1 said", "3+4 notes 2 said", "3+4 notes 3 said"]);
  expect(any).toEqual(both.map((line) => line.replace(/^\d/, "6")));
});

describe("one person with many tokens", () => {
  const person = {
    role: "authenticated",
    sub: crypto.randomUUID(),
    session_id: crypto.randomUUID(),
    aal: "aal1",
  };

  beforeAll(() =>
    writer.query(`
      create table public.mine (id integer primary key, text text default 'said');
      alter table public.mine enable row level security;
      grant select on public.mine to authenticated;
      create policy "Those named in the token" on public.mine for select to authenticated
        using (current_setting('request.jwt.claims')::json->>'may' = 'read')`),
  );

  async function deliver(
    subscriptions: ReturnType<typeof createSubscriptions>,
    time: FilterTime,
    id: number,
  ) {
    const relation = await relationOf("mine");
    const delivery = new ChangeDelivery(clone.database, subscriptions, time, createLog("silent"));
    await writer.query("insert into public.mine values ($1)", [id]);
    await delivery.deliver([{ ...inserted(id, await transactionOf()), relation }]);
  }

  it("is asked about once, with the newest token of the session", async () => {
    const subscriptions = createSubscriptions();
    const heard: number[] = [];
    for (const iat of [1, 3, 2]) {
      const claims = { ...person, iat, exp: iat + 3600, may: iat === 3 ? "read" : "not" };
      subscribe(subscriptions, () => heard.push(iat), [{ table: "mine" }], claims);
    }
    const asked = vi.spyOn(clone.database, "run");
    await deliver(subscriptions, new FilterTime(), 1);
    expect(asked).toHaveBeenCalledOnce();
    expect(heard.toSorted()).toEqual([1, 2, 3]);
  });

  it("is asked about for each level of sign-in, since policies may require a second factor", async () => {
    const subscriptions = createSubscriptions();
    const heard: string[] = [];
    for (const [iat, aal] of ["aal1", "aal2"].entries()) {
      const claims = { ...person, iat, exp: iat + 3600, aal, may: aal === "aal2" ? "read" : "not" };
      subscribe(subscriptions, () => heard.push(aal), [{ table: "mine" }], claims);
    }
    await deliver(subscriptions, new FilterTime(), 100);
    expect(heard).toEqual(["aal2"]);
  });

  it("spends its own time on slow patterns, then loses them, and nobody else waits", async () => {
    const subscriptions = createSubscriptions();
    const [ours, own]: [number[], number[]] = [[], []];
    subscribe(subscriptions, ({ data }) => ours.push(JSON.parse(data).record.id), [{ table: "mine" }], {
      ...{ role: "authenticated", sub: crypto.randomUUID(), may: "read" },
    });
    // Each takes PostgreSQL about 20 ms to compile, with a token and a session of its own: 4 s in all.
    const slow = Array.from({ length: 200 }, (_, at) => {
      const filter = `text=match.(x?){180}${at}`;
      const claims = { ...person, session_id: crypto.randomUUID(), exp: at, may: "read" };
      const wanted = { table: "mine", filter, conditions: parseFilter(filter) };
      return subscribe(subscriptions, ({ ids }) => own.push(...ids), [wanted], claims);
    });
    const time = new FilterTime();
    await deliver(subscriptions, time, 2);
    const missed = () => slow.filter(({ onResumed }) => onResumed.mock.calls.length > 0).length;
    expect(missed()).toBeGreaterThan(100);
    for (let id = 3; id < 50; id++) await deliver(subscriptions, time, id);
    expect(ours).toEqual(Array.from({ length: 48 }, (_, at) => at + 2));
    expect(slow.filter(({ onEnded }) => onEnded.mock.calls.length > 0).length).toBeGreaterThan(10);
  });
});

describe("the time of filters", () => {
  let transaction: Database["transaction"];
  let started: MockInstance<Database["transaction"]>;
  beforeEach(() => {
    ({ transaction } = clone.database);
    started = vi.spyOn(clone.database, "transaction");
    vi.useFakeTimers({ toFake: ["performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
    started.mockRestore();
  });

  /** Two subscriptions, whose filters are evaluated in two transactions: patterns are last. */
  async function deliver(id: number) {
    const filtered = (filter: string) => ({ filter, conditions: parseFilter(filter) });
    const subscriptions = createSubscriptions();
    const heard: number[] = [];
    const subscriber = subscribe(subscriptions, ({ ids }) => heard.push(...ids), [
      { id: 1, ...filtered(`id=eq.${id}`) },
      { id: 2, ...filtered("text=like.s%") },
    ]);
    const delivery = new ChangeDelivery(clone.database, subscriptions, new FilterTime(), createLog("silent"));
    await writer.query("insert into public.notes values ($1)", [id]);
    await delivery.deliver([inserted(id, await transactionOf())]);
    return { heard, subscriber };
  }
  const pass = () => vi.advanceTimersByTime(3_000);

  it("does not include waiting for a connection", async () => {
    started.mockImplementation((scope, work) => {
      pass();
      return transaction(scope, work);
    });
    const { heard, subscriber } = await deliver(2001);
    expect(heard).toEqual([1, 2]);
    expect(subscriber.onEnded).not.toHaveBeenCalled();
    expect(subscriber.onResumed).not.toHaveBeenCalled();
  });

  it("ends no subscription whose filter was not tried, but announces the missed changes", async () => {
    started.mockImplementation((scope, work) =>
      transaction(scope, (tx) => {
        const query: typeof tx.query = (text, values) => {
          pass();
          return tx.query(text, values);
        };
        return work({ ...tx, query });
      }),
    );
    const { heard, subscriber } = await deliver(2002);
    expect(heard).toEqual([1]);
    expect(subscriber.onEnded).not.toHaveBeenCalled();
    expect(subscriber.onResumed).toHaveBeenCalledOnce();
  });
});
