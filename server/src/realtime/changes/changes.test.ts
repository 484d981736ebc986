import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  alice,
  bob,
  type Feed,
  follow,
  person,
  sign,
  standStill,
  startRealtime,
  subscribed,
  type TestServer,
  waitFor,
} from "../../../testing/realtime.ts";
import { openSilentLink } from "../../../testing/silent-link.ts";

let server: TestServer;
/** On the same database. A busy machine is silent for a second too, and what changes until the reconnect is lost. */
let impatient: TestServer;
const link = openSilentLink();
beforeAll(async () => {
  server = await startRealtime();
  impatient = await startRealtime({}, { database: server.database, replicationSilence: 1_000, link });
  await server.sql(`
    create table public.notes (
      id uuid primary key, owner uuid, body text, price numeric(10,2), size int, tags text[], facts jsonb,
      done boolean, secret text, made timestamptz default '2025-01-02 03:04:05.678+00'
    );
    alter table public.notes enable row level security;
    revoke all on public.notes from anon, authenticated;
    grant select (id, owner, body, price, size, tags, facts, done, made) on public.notes to anon, authenticated;
    grant select on public.notes to service_role;
    create policy "People read their own notes" on public.notes for select to authenticated
      using (owner::text = current_setting('request.jwt.claims')::json->>'sub');
    create policy "Everybody reads notes nobody owns" on public.notes for select to anon, authenticated
      using (owner is null);
    create table public.pairs (a int, b text, word text, primary key (a, b));
    alter table public.pairs enable row level security;
    create policy "Everybody reads pairs" on public.pairs for select using (true);
    create table public.slow (id int primary key);
    alter table public.slow enable row level security;
    create policy "Everybody reads it after a tenth of a second" on public.slow for select
      using (pg_sleep(0.1) is not null);
    create type public.sluggish as enum ('x');
    create function public.sluggish_equal(sluggish, sluggish) returns boolean language sql strict as
      'select pg_sleep(60) is not null';
    create operator public.= (leftarg = sluggish, rightarg = sluggish, function = public.sluggish_equal);
    create table public.lazy (id int primary key, owner uuid, value sluggish);
    alter table public.lazy enable row level security;
    create policy "People read their own" on public.lazy for select to authenticated
      using (owner::text = current_setting('request.jwt.claims')::json->>'sub');
    grant select on public.pairs, public.slow, public.lazy to anon, authenticated;
    create table public.unpublished (id int primary key);
    create table public.keyless (body text);
    create table public.hidden_keys (id int primary key, body text);
    revoke all on public.keyless, public.hidden_keys from anon, authenticated;
    grant select on public.keyless to authenticated;
    grant select (body) on public.hidden_keys to authenticated;
    alter publication supabase_realtime add table public.notes, public.pairs, public.slow, public.lazy,
      public.keyless, public.hidden_keys;
  `);
});
afterEach(() => Promise.all([server.disconnectAll(), impatient.disconnectAll()]));
afterAll(async () => {
  await impatient?.close();
  await server?.close();
});

const slots = async () =>
  (
    await server.sql(
      "select slot_name, temporary from pg_replication_slots where database = current_database()",
    )
  ).rows;

describe("changes", () => {
  it("arrive as Supabase sends them: values by type, the old row by its key", async () => {
    const { events, system } = await follow(await server.connect(person(alice)), { table: "notes" });
    expect(system[0]).toEqual({
      extension: "postgres_changes",
      status: "ok",
      message: "Subscribed to PostgreSQL",
      channel: "feed",
    });
    const id = crypto.randomUUID();
    await server.sql(
      `insert into notes (id, owner, body, price, size, tags, facts, done, secret)
       values ($1, $2, 'hi', 45.50, 7, '{"a b",c,NULL}', '{"k":[1]}', true, 'hidden')`,
      [id, alice],
    );
    await waitFor(() => expect(events).toHaveLength(1)); // a later check may find the row changed or gone
    await server.sql("update notes set body = 'ho' where id = $1", [id]);
    await waitFor(() => expect(events).toHaveLength(2));
    await server.sql("delete from notes where id = $1", [id]);
    await waitFor(() => expect(events).toHaveLength(3));
    const row = {
      id,
      owner: alice,
      body: "hi",
      price: 45.5,
      size: 7,
      tags: ["a b", "c", null],
      facts: { k: [1] },
      done: true,
      made: "2025-01-02T03:04:05.678+00:00",
    };
    const common = {
      schema: "public",
      table: "notes",
      errors: null,
      commit_timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    };
    expect(events).toEqual([
      { ...common, eventType: "INSERT", new: row, old: {} },
      { ...common, eventType: "UPDATE", new: { ...row, body: "ho" }, old: { id } },
      { ...common, eventType: "DELETE", new: {}, old: { id } },
    ]);
  });

  it("reach a client that keeps up, however many come at once", async () => {
    const { events, system } = await follow(await server.connect(person(alice)), { table: "pairs" });
    await server.sql(
      "insert into pairs select 1000, n, repeat('x', 1000) from generate_series(1, 5000) as n",
    );
    await waitFor(() => expect(events).toHaveLength(5000));
    expect(system).toHaveLength(1);
    await server.sql("delete from pairs where a = 1000");
  });

  it("are delivered without a process warning when their checks are slow", async () => {
    const warnings: string[] = [];
    const onWarning = ({ name }: Error) => warnings.push(name);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const { events } = await follow(await server.connect(person(alice)), { table: "slow" });
    await server.sql("insert into slow values (1)");
    await waitFor(() => expect(events).toHaveLength(1));
    await server.sql("insert into slow values (2)");
    await waitFor(() => expect(events).toHaveLength(2));
    expect(warnings).toEqual([]);
  });

  it.each([
    ["keyless", "without a primary key", "Error 400: Bad Request, no primary key"],
    ["hidden_keys", "with a key that may not be selected", "Error 401: Unauthorized"],
  ])("of a table %s, %s, are announced with the reason and without the row", async (table, _why, error) => {
    const someone = await server.connect(person(alice));
    const { events } = await follow(someone, { table });
    const inserts = await follow(someone, { table, event: "INSERT" }, "inserts");
    const deletes = await follow(someone, { table, event: "DELETE" }, "deletes");
    const visitor = await follow(await server.connect(), { table });
    await server.sql(`insert into ${table} (body${table === "keyless" ? "" : ", id"})
      values ('not shown'${table === "keyless" ? "" : ", 1"})`);
    const sent = {
      ...{ schema: "public", table, eventType: "INSERT", new: {}, old: {}, errors: [error] },
      commit_timestamp: expect.stringMatching(/^\d{4}-/),
    };
    await waitFor(() => expect([events, inserts.events]).toEqual([[sent], [sent]]));
    expect([...deletes.events, ...visitor.events]).toEqual([]);
  });

  it("reach only those who may select the row, and only the columns they may select", async () => {
    const [own, other, visitor, service] = await Promise.all([
      follow(await server.connect(person(alice)), { table: "notes" }),
      follow(await server.connect(person(bob)), { table: "notes" }),
      follow(await server.connect(), { table: "notes" }),
      follow(await server.connect({ role: "service_role" }), { table: "notes" }),
    ]);
    const [private_, open] = [crypto.randomUUID(), crypto.randomUUID()];
    await server.sql(
      "insert into notes (id, owner, secret) values ($1, $2, 'hidden'), ($3, null, 'hidden')",
      [private_, alice, open],
    );
    const seen = (feed: Feed) => feed.events.map((event) => event.new.id);
    await waitFor(() => {
      expect(seen(service)).toEqual([private_, open]);
      expect(seen(own)).toEqual([private_, open]);
      expect(seen(other)).toEqual([open]);
      expect(seen(visitor)).toEqual([open]);
    });
    expect(service.events[0].new.secret).toBe("hidden");
    expect(own.events[0].new).not.toHaveProperty("secret");
  });

  it("reach everybody under their own topic and in their own serialization", async () => {
    const members = [
      ["feed", "2.0.0"],
      ["feed", "2.0.0"],
      ["another", "2.0.0"],
      ["feed", "1.0.0"],
    ] as const;
    const feeds = await Promise.all(
      members.map(async ([topic, version]) =>
        follow(await server.connect(undefined, version), { table: "pairs" }, topic),
      ),
    );
    await server.sql("insert into pairs select 100 + n, 'all', n::text from generate_series(1, 3) n");
    for (const { events } of feeds) {
      await waitFor(() => expect(events.map((event) => event.new.word)).toEqual(["1", "2", "3"]));
    }
  });

  it("are not delivered when rolled back, of other tables or not subscribed to", async () => {
    const client = await server.connect(person(alice));
    const inserts = await follow(client, { table: "notes", event: "INSERT" }, "inserts");
    const [id, never] = [crypto.randomUUID(), crypto.randomUUID()];
    await expect(
      server.transaction(async (tx) => {
        await tx.query("insert into notes (id) values ($1)", [never]);
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    await server.sql("insert into unpublished values (1)");
    await server.sql("insert into notes (id) values ($1)", [id]);
    await server.sql("delete from notes where id = $1", [id]);
    const last = crypto.randomUUID();
    await server.sql("insert into notes (id) values ($1)", [last]);
    // The first was either gone before it could be checked, or delivered. The last must arrive.
    await waitFor(() => expect(inserts.events.at(-1)?.new.id).toBe(last));
    expect(inserts.events.map((event) => event.eventType)).not.toContain("DELETE");
    expect(inserts.events.map((event) => event.new.id)).not.toContain(never);
  });

  it("are filtered by value, compared as PostgreSQL compares the type", async () => {
    const client = await server.connect({ role: "service_role" });
    const ids = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
    const filters: Record<string, number[]> = {
      "price=eq.45": [0],
      "price=neq.45": [1, 2],
      "price=gt.9": [0, 1],
      "price=gte.100.0": [1],
      "price=lt.45.0": [2],
      "price=lte.45": [0, 2],
      'body=in.(a,"b,c")': [0, 1],
      [`id=eq.${ids[2]!.toUpperCase()}`]: [2],
      "price=gt.1,body=eq.a": [0],
    };
    const topics = Object.keys(filters);
    const feed: Record<string, string[]> = Object.fromEntries(topics.map((filter) => [filter, []]));
    const channel = client.channel("filters");
    for (const filter of topics) {
      channel.on("postgres_changes", { event: "INSERT", schema: "public", table: "notes", filter }, (event) =>
        feed[filter]!.push(event.new.id),
      );
    }
    let flowing = false;
    channel.on("system", {}, () => (flowing = true));
    await subscribed(channel);
    await waitFor(() => expect(flowing).toBe(true));
    await server.sql(
      "insert into notes (id, price, body) values ($1, 45.00, 'a'), ($2, 100, 'b,c'), ($3, 5, null)",
      ids,
    );
    await waitFor(() => {
      for (const filter of topics) {
        expect([filter, feed[filter]]).toEqual([filter, filters[filter]!.map((at) => ids[at])]);
      }
    });
  });

  it("are delivered for a table whose key has two columns", async () => {
    const { events } = await follow(await server.connect(), { table: "pairs" });
    await server.sql("insert into pairs values (1, 'x', 'one'), (2, 'y', 'two')");
    await waitFor(() => expect(events).toHaveLength(2));
    await server.sql("update pairs set b = 'z' where a = 1");
    await server.sql("delete from pairs where a = 2");
    await waitFor(() => expect(events).toHaveLength(4));
    expect(events.map((event) => [event.new.word, event.old])).toEqual([
      ["one", {}],
      ["two", {}],
      ["one", { a: 1, b: "x" }],
      [undefined, { a: 2, b: "y" }],
    ]);
  });

  it("respect a policy added later to a table open to everybody", async () => {
    const [one, two, visitor] = await Promise.all([
      follow(await server.connect(person(alice)), { table: "pairs" }),
      follow(await server.connect(person(bob)), { table: "pairs" }),
      follow(await server.connect(), { table: "pairs" }),
    ]);
    const words = () => [one, two, visitor].map((feed) => feed.events.map((event) => event.new.word));
    await server.sql("insert into pairs values (10, 'x', 'before')");
    await waitFor(() => expect(words()).toEqual([["before"], ["before"], ["before"]]));
    await server.sql(`create policy "Alice alone reads" on pairs as restrictive for select to authenticated
      using (current_setting('request.jwt.claims')::json->>'sub' = '${alice}')`);
    await server.sql("insert into pairs values (11, 'x', 'after')");
    await waitFor(() => expect(words()).toEqual([["before", "after"], ["before"], ["before", "after"]]));
    await server.sql(`drop policy "Alice alone reads" on pairs`);
  });

  it("include large values that the log leaves out", async () => {
    const { events } = await follow(await server.connect({ role: "service_role" }), {
      table: "notes",
      event: "UPDATE",
    });
    const id = crypto.randomUUID();
    const long = Array.from({ length: 2000 }, (_, at) => crypto.randomUUID() + at).join("");
    await server.sql("insert into notes (id, body) values ($1, $2)", [id, long]);
    await server.sql("update notes set size = 1 where id = $1", [id]);
    await waitFor(() => expect(events).toHaveLength(1));
    expect(events[0].new.body).toBe(long);
  });

  it("report why a subscription is impossible, and leave the others alone", async () => {
    const client = await server.connect();
    const bad = async (filter: Record<string, unknown>, topic: string) =>
      (await follow(client, filter, topic)).system[0];
    expect(await bad({ table: "unpublished" }, "one")).toMatchObject({
      status: "error",
      message: expect.stringContaining("Please check Realtime is enabled"),
    });
    expect(await bad({ table: "notes", filter: "nothing=eq.1" }, "two")).toMatchObject({
      status: "error",
      message: expect.stringMatching(/ERROR P0001 \(raise_exception\) invalid column for filter nothing$/),
    });
    expect(await bad({ table: "notes", filter: "price=eq.cheap" }, "three")).toMatchObject({
      status: "error",
    });
    expect(await bad({ table: "notes", filter: "body=match.(.+)(.+)\\2\\1$" }, "four")).toMatchObject({
      status: "error",
      message: expect.stringContaining("back-references are not supported"),
    });
    const good = await follow(client, { table: "notes" }, "five");
    await server.sql("insert into notes (id, body) values ($1, 'text')", [crypto.randomUUID()]);
    await waitFor(() => expect(good.events).toHaveLength(1));
  });

  it("are not filtered by columns the subscriber may not read", async () => {
    const filter = { table: "notes", filter: "secret=gt.m" };
    const { system } = await follow(await server.connect(), filter);
    expect(system[0]).toMatchObject({
      status: "error",
      message: expect.stringContaining("invalid column for filter secret"),
    });
    const served = await follow(await server.connect({ role: "service_role" }), filter);
    expect(served.system[0]).toMatchObject({ status: "ok" });
  });

  it("end only the subscription whose filter takes too long, and only for a row it may see", async () => {
    const values = { table: "lazy", filter: "value=eq.x" };
    const filtering = await follow(await server.connect(person(bob)), values);
    const beside = await follow(await server.connect(person(bob)), { table: "lazy" });
    const all = await follow(await server.connect({ role: "service_role" }), { table: "lazy" });
    await server.sql("insert into lazy values (1, $1, 'x')", [alice]);
    await waitFor(() => expect(all.events).toHaveLength(1));
    expect(filtering.system).toHaveLength(1);
    for (let id = 2; filtering.system.at(-1)?.status !== "error"; id++) {
      await server.sql("insert into lazy values ($1, $2, 'x')", [id, bob]);
      await waitFor(() => expect(beside.events.at(-1)?.new.id).toBe(id));
    }
    const [, ...missed] = filtering.system;
    expect(missed.length).toBeGreaterThan(1); // the first time may have been the machine's fault
    expect(missed.at(-1).message).toBe("The filter takes too long to evaluate: value=eq.x");
    await server.sql("insert into lazy values (100, $1, 'x')", [bob]);
    await waitFor(() => expect(all.events.at(-1)?.new.id).toBe(100));
    await waitFor(() => expect(beside.events).toHaveLength(all.events.length - 1));
    expect(filtering.events).toEqual([]);
    expect(filtering.system).toHaveLength(1 + missed.length);
  });

  it("end no subscription for a slow filter that is evaluated with its own", async () => {
    const client = await server.connect(person(bob));
    const slow = await follow(client, { table: "lazy", filter: "value=eq.x" }, "slow");
    const quick: Feed[] = [];
    for (let id = 101; id <= 115; id++) {
      quick.push(await follow(client, { table: "lazy", filter: `id=eq.${id}` }, `quick ${id}`));
    }
    await server.sql("insert into lazy select id, $1, 'x' from generate_series(101, 115) as id", [bob]);
    await waitFor(() => expect(slow.system).toHaveLength(2)); // it missed the change
    await waitFor(() => expect(quick.map(({ events }) => events.length)).toEqual(quick.map(() => 1)));
    expect(quick.map(({ system }) => system.length)).toEqual(quick.map(() => 1));
  });

  it("follow the rights of a renewed token", async () => {
    const { client, renew } = await server.connectRenewing(server.anonKey);
    const feed = await follow(client, { table: "notes" });
    await renew(sign(person(bob)));
    const id = crypto.randomUUID();
    await waitFor(async () => {
      await server.sql(
        "insert into notes (id, owner) values ($1, $2) on conflict (id) do update set size = 1",
        [id, bob],
      );
      expect(feed.events.at(-1)?.new.id).toBe(id);
    });
  });

  it("flow again after the replication connection was cut", async () => {
    const feed = await follow(await server.connect({ role: "service_role" }), { table: "notes" });
    const { rows } = await server.sql(
      "select active_pid as pid from pg_replication_slots where database = current_database()",
    );
    expect(rows).toHaveLength(1);
    await server.sql("select pg_terminate_backend($1)", [rows[0]!.pid]);
    await waitFor(() => expect(feed.system).toHaveLength(2));
    const id = crypto.randomUUID();
    await server.sql("insert into notes (id) values ($1)", [id]);
    await waitFor(() => expect(feed.events.at(-1)?.new.id).toBe(id));
  });

  it("keep flowing after the server itself was suspended", async () => {
    const feed = await follow(await impatient.connect({ role: "service_role" }), { table: "notes" });
    const before = await slots();
    standStill(1_500);
    const id = crypto.randomUUID();
    await server.sql("insert into notes (id) values ($1)", [id]);
    await waitFor(() => expect(feed.events.at(-1)?.new.id).toBe(id));
    expect(await slots()).toEqual(before);
  });

  it("flow again after PostgreSQL fell silent without closing the connection", async () => {
    const feed = await follow(await impatient.connect({ role: "service_role" }), { table: "notes" });
    link.silence();
    try {
      await waitFor(() => expect(feed.system).toHaveLength(2));
      const id = crypto.randomUUID();
      await server.sql("insert into notes (id) values ($1)", [id]);
      await waitFor(() => expect(feed.events.at(-1)?.new.id).toBe(id));
    } finally {
      link.resume();
    }
    await waitFor(async () => expect(await slots()).toHaveLength(1));
  });

  it("are read only while there are subscribers, through a temporary slot", async () => {
    await waitFor(async () => expect(await slots()).toEqual([]));
    const client = await server.connect();
    const first = await follow(client, { table: "notes" }, "first");
    const second = await follow(client, { table: "pairs" }, "second");
    expect(await slots()).toMatchObject([{ temporary: true }]);
    await client.removeChannel(first.channel);
    expect(await slots()).toHaveLength(1);
    await client.removeChannel(second.channel);
    await waitFor(async () => expect(await slots()).toEqual([]));
    await follow(client, { table: "notes" }, "third");
    expect(await slots()).toHaveLength(1);
  });

  it("still arrive after a subscriber joins and leaves ten times", async () => {
    const client = await server.connect({ role: "service_role" });
    for (let n = 0; n < 10; n++) {
      const channel = client
        .channel(`undecided ${n}`)
        .on("postgres_changes", { event: "*", schema: "public", table: "notes" }, () => {});
      await subscribed(channel);
      await client.removeChannel(channel);
    }
    const feed = await follow(client, { table: "notes" });
    expect(feed.system[0]).toMatchObject({ status: "ok" });
    const id = crypto.randomUUID();
    await server.sql("insert into notes (id) values ($1)", [id]);
    await waitFor(() => expect(feed.events.map((event) => event.new.id)).toEqual([id]));
    expect(await slots()).toHaveLength(1);
  });

  it("arrive whole and in order from a large transaction", async () => {
    const feed = await follow(await server.connect(), { table: "pairs", event: "INSERT" });
    await server.sql("insert into pairs select n, 'many', n::text from generate_series(1000, 2999) n");
    await waitFor(() => expect(feed.events).toHaveLength(2000));
    expect(feed.events.map((event) => event.new.a)).toEqual(
      Array.from({ length: 2000 }, (_, at) => 1000 + at),
    );
  });
});
