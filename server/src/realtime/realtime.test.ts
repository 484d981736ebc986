import { createClient, type RealtimeChannel, type SupabaseClient } from "@supabase/supabase-js";
import { getRequestListener } from "@hono/node-server";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { cloneDatabase, type TestDatabase } from "../../testing/database.ts";
import { systemClock } from "../platform/clock.ts";
import { type Claims, createTokens } from "../platform/jwt.ts";
import { createLog } from "../platform/log.ts";
import { createRealtime, type Realtime } from "./index.ts";

const tokens = createTokens("a-test-secret-of-at-least-32-characters", systemClock);
const alice = "00000000-0000-4000-8000-00000000000a";
const bob = "00000000-0000-4000-8000-00000000000b";
const later = () => Math.floor(Date.now() / 1000) + 3600;

let db: TestDatabase;
let realtime: Realtime;
let server: Server;
let url: string;
let anonKey: string;
const clients: SupabaseClient[] = [];

const sql = (text: string, values?: unknown[]) =>
  db.database.asService("the test changes rows").query(text, values);

async function connect(claims?: Claims, options: { version?: string } = {}): Promise<SupabaseClient> {
  const token = claims && (await tokens.sign({ exp: later(), ...claims }));
  const client = createClient(url, anonKey, {
    ...(token ? { accessToken: async () => token } : {}),
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { ...(options.version ? { vsn: options.version } : {}), heartbeatIntervalMs: 500 },
  });
  clients.push(client);
  return client;
}

const person = (sub: string): Claims => ({ role: "authenticated", sub });

/** Resolves with SUBSCRIBED, or rejects with the reason. */
const subscribed = (channel: RealtimeChannel) =>
  new Promise<RealtimeChannel>((resolve, reject) => {
    channel.subscribe((status, error) => {
      if (status === "SUBSCRIBED") resolve(channel);
      else reject(error ?? new Error(status));
    });
  });

interface Feed {
  readonly events: any[];
  readonly channel: RealtimeChannel;
  readonly system: any[];
}

/** Subscribes to changes and waits until they flow. */
async function follow(
  client: SupabaseClient,
  filter: Record<string, unknown>,
  topic = "feed",
): Promise<Feed> {
  const feed: Feed = { events: [], system: [], channel: client.channel(topic) };
  feed.channel
    .on("postgres_changes", { event: "*", schema: "public", ...filter } as never, (event: any) =>
      feed.events.push(event),
    )
    .on("system", {}, (message: any) => feed.system.push(message));
  await subscribed(feed.channel);
  await vi.waitFor(() => expect(feed.system.length).toBeGreaterThan(0), 10_000);
  return feed;
}

const waitFor = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 10 });

beforeAll(async () => {
  db = await cloneDatabase();
  await sql(`
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
    create table public.unpublished (id int primary key);
    alter publication supabase_realtime add table public.notes, public.pairs;
  `);
  const log = createLog("silent");
  const deps = { database: db.database, replicationUrl: db.url, tokens, clock: systemClock, log };
  realtime = createRealtime({ ...deps, limits: { channels: 5, payload: 64 * 1024 } });
  anonKey = await tokens.sign({ role: "anon", exp: later() });
  server = createServer(
    getRequestListener(async (request) => {
      const address = new URL(request.url);
      const token = request.headers.get("authorization")?.slice("Bearer ".length) ?? anonKey;
      address.pathname = address.pathname.replace(/^\/realtime\/v1/, "");
      const claims = (await tokens.verify(token)) as Claims;
      return realtime.fetch(new Request(address, request), {
        requestId: "test",
        claims,
        token,
        ip: "127.0.0.1",
        apiUrl: url,
      });
    }),
  );
  server.on("upgrade", (request, socket, head) =>
    realtime.handleUpgrade(request, socket, head, { ip: "127.0.0.1" }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  for (const client of clients.splice(0)) {
    await client.removeAllChannels();
    client.realtime.disconnect();
  }
});

afterAll(async () => {
  await realtime?.close();
  server?.close();
  await db?.close();
});

const slots = async () =>
  (await sql("select slot_name, temporary from pg_replication_slots where database = current_database()"))
    .rows;

describe("changes", () => {
  it("arrive as Supabase sends them: values by type, the old row by its key", async () => {
    const { events, system } = await follow(await connect(person(alice)), { table: "notes" });
    expect(system[0]).toEqual({
      extension: "postgres_changes",
      status: "ok",
      message: "Subscribed to PostgreSQL",
      channel: "feed",
    });
    const id = crypto.randomUUID();
    await sql(
      `insert into notes (id, owner, body, price, size, tags, facts, done, secret)
       values ($1, $2, 'hi', 45.50, 7, '{"a b",c,NULL}', '{"k":[1]}', true, 'hidden')`,
      [id, alice],
    );
    await waitFor(() => expect(events).toHaveLength(1)); // who asks for a row later may find it changed or gone
    await sql("update notes set body = 'ho' where id = $1", [id]);
    await waitFor(() => expect(events).toHaveLength(2));
    await sql("delete from notes where id = $1", [id]);
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

  it("reach only those who may select the row, and only the columns they may select", async () => {
    const [own, other, visitor, service] = await Promise.all([
      follow(await connect(person(alice)), { table: "notes" }),
      follow(await connect(person(bob)), { table: "notes" }),
      follow(await connect(), { table: "notes" }),
      follow(await connect({ role: "service_role" }), { table: "notes" }),
    ]);
    const [private_, open] = [crypto.randomUUID(), crypto.randomUUID()];
    await sql("insert into notes (id, owner, secret) values ($1, $2, 'hidden'), ($3, null, 'hidden')", [
      private_,
      alice,
      open,
    ]);
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

  it("that are rolled back, of other tables or of no interest are not told", async () => {
    const client = await connect(person(alice));
    const inserts = await follow(client, { table: "notes", event: "INSERT" }, "inserts");
    const [id, never] = [crypto.randomUUID(), crypto.randomUUID()];
    await expect(
      db.database.asService("the test rolls back").transaction(async (tx) => {
        await tx.query("insert into notes (id) values ($1)", [never]);
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    await sql("insert into unpublished values (1)");
    await sql("insert into notes (id) values ($1)", [id]);
    await sql("delete from notes where id = $1", [id]);
    const last = crypto.randomUUID();
    await sql("insert into notes (id) values ($1)", [last]);
    // The first was gone before it could be checked, or was seen; the last is there.
    await waitFor(() => expect(inserts.events.at(-1)?.new.id).toBe(last));
    expect(inserts.events.map((event) => event.eventType)).not.toContain("DELETE");
    expect(inserts.events.map((event) => event.new.id)).not.toContain(never);
  });

  it("are filtered by value, compared as PostgreSQL compares the type", async () => {
    const client = await connect({ role: "service_role" });
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
    await sql(
      "insert into notes (id, price, body) values ($1, 45.00, 'a'), ($2, 100, 'b,c'), ($3, 5, null)",
      ids,
    );
    await waitFor(() => {
      for (const filter of topics) {
        expect([filter, feed[filter]]).toEqual([filter, filters[filter]!.map((at) => ids[at])]);
      }
    });
  });

  it("of a table with a key of two columns are told too", async () => {
    const { events } = await follow(await connect(), { table: "pairs" });
    await sql("insert into pairs values (1, 'x', 'one'), (2, 'y', 'two')");
    await waitFor(() => expect(events).toHaveLength(2));
    await sql("update pairs set b = 'z' where a = 1");
    await sql("delete from pairs where a = 2");
    await waitFor(() => expect(events).toHaveLength(4));
    expect(events.map((event) => [event.new.word, event.old])).toEqual([
      ["one", {}],
      ["two", {}],
      ["one", { a: 1, b: "x" }],
      [undefined, { a: 2, b: "y" }],
    ]);
  });

  it("of a table open to everybody heed a policy made later", async () => {
    const [one, two, visitor] = await Promise.all([
      follow(await connect(person(alice)), { table: "pairs" }),
      follow(await connect(person(bob)), { table: "pairs" }),
      follow(await connect(), { table: "pairs" }),
    ]);
    const words = () => [one, two, visitor].map((feed) => feed.events.map((event) => event.new.word));
    await sql("insert into pairs values (10, 'x', 'before')");
    await waitFor(() => expect(words()).toEqual([["before"], ["before"], ["before"]]));
    await sql(`create policy "Alice alone reads" on pairs as restrictive for select to authenticated
      using (current_setting('request.jwt.claims')::json->>'sub' = '${alice}')`);
    await sql("insert into pairs values (11, 'x', 'after')");
    await waitFor(() => expect(words()).toEqual([["before", "after"], ["before"], ["before", "after"]]));
    await sql(`drop policy "Alice alone reads" on pairs`);
  });

  it("hold large values that the log leaves out", async () => {
    const { events } = await follow(await connect({ role: "service_role" }), {
      table: "notes",
      event: "UPDATE",
    });
    const id = crypto.randomUUID();
    const long = Array.from({ length: 2000 }, (_, at) => crypto.randomUUID() + at).join("");
    await sql("insert into notes (id, body) values ($1, $2)", [id, long]);
    await sql("update notes set size = 1 where id = $1", [id]);
    await waitFor(() => expect(events).toHaveLength(1));
    expect(events[0].new.body).toBe(long);
  });

  it("refuse what cannot be followed, in words, and leave the others alone", async () => {
    const client = await connect();
    const bad = async (filter: Record<string, unknown>, topic: string) =>
      (await follow(client, filter, topic)).system[0];
    expect(await bad({ table: "unpublished" }, "one")).toMatchObject({
      status: "error",
      message: expect.stringContaining("Please check Realtime is enabled"),
    });
    expect(await bad({ table: "notes", filter: "nothing=eq.1" }, "two")).toMatchObject({
      status: "error",
      message: "invalid column for filter nothing",
    });
    expect(await bad({ table: "notes", filter: "price=eq.cheap" }, "three")).toMatchObject({
      status: "error",
    });
    const regex = await follow(client, { table: "notes", filter: "body=match.(" }, "four");
    const good = await follow(client, { table: "notes" }, "five");
    await sql("insert into notes (id, body) values ($1, 'text')", [crypto.randomUUID()]);
    await waitFor(() => expect(good.events).toHaveLength(1));
    expect(regex.events).toEqual([]);
  });

  it("follow the rights of a renewed token", async () => {
    const client = await connect();
    const feed = await follow(client, { table: "notes" });
    const token = await tokens.sign({ ...person(bob), exp: later() });
    await client.realtime.setAuth(token);
    const id = crypto.randomUUID();
    await waitFor(async () => {
      await sql("insert into notes (id, owner) values ($1, $2) on conflict (id) do update set size = 1", [
        id,
        bob,
      ]);
      expect(feed.events.at(-1)?.new.id).toBe(id);
    });
  });

  it("flow again after the replication connection was cut", async () => {
    const feed = await follow(await connect({ role: "service_role" }), { table: "notes" });
    const { rows } = await sql(
      "select active_pid as pid from pg_replication_slots where database = current_database()",
    );
    expect(rows).toHaveLength(1);
    await sql("select pg_terminate_backend($1)", [rows[0]!.pid]);
    await waitFor(() => expect(feed.system).toHaveLength(2));
    const id = crypto.randomUUID();
    await sql("insert into notes (id) values ($1)", [id]);
    await waitFor(() => expect(feed.events.at(-1)?.new.id).toBe(id));
  });

  it("are read while somebody listens, through a slot that cannot outlive us", async () => {
    await waitFor(async () => expect(await slots()).toEqual([]));
    const client = await connect();
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
});

describe.each(["1.0.0", "2.0.0"])("broadcasts, protocol %s", (version) => {
  it("reach the others of a topic, and the sender if it asks", async () => {
    const [one, two] = [await connect(undefined, { version }), await connect(undefined, { version })];
    const heard: any[] = [];
    const sender = await subscribed(
      one
        .channel("room", { config: { broadcast: { self: true, ack: true } } })
        .on("broadcast", { event: "shout" }, (message) => heard.push(["sender", message.payload])),
    );
    await subscribed(
      two
        .channel("room")
        .on("broadcast", { event: "*" }, (message) => heard.push(["other", message.payload])),
    );
    await subscribed(two.channel("elsewhere").on("broadcast", { event: "*" }, () => heard.push("elsewhere")));
    expect(await sender.send({ type: "broadcast", event: "shout", payload: { text: "¡olé! 🎉" } })).toBe(
      "ok",
    );
    await waitFor(() => expect(heard).toHaveLength(2));
    expect(heard).toContainEqual(["sender", { text: "¡olé! 🎉" }]);
    expect(heard).toContainEqual(["other", { text: "¡olé! 🎉" }]);
  });

  it("go over HTTP from whoever has no socket", async () => {
    const client = await connect(undefined, { version });
    const heard: any[] = [];
    await subscribed(
      client.channel("room").on("broadcast", { event: "*" }, (message) => heard.push(message)),
    );
    const sender = (await connect()).channel("room");
    expect(await sender.httpSend("single", { n: 1 })).toEqual({ success: true });
    const batch = await fetch(`${url}/realtime/v1/api/broadcast`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ messages: [{ topic: "room", event: "batch", payload: { n: 2 } }] }),
    });
    expect(batch.status).toBe(202);
    await waitFor(() =>
      expect(heard.map((each) => [each.event, each.payload.n])).toEqual([
        ["single", 1],
        ["batch", 2],
      ]),
    );
    const bad = await fetch(`${url}/realtime/v1/api/broadcast`, { method: "POST", body: "{" });
    expect(bad.status).toBe(422);
  });
});

it("carries bytes from one socket to another", async () => {
  const [one, two] = [await connect(), await connect()];
  const heard: any[] = [];
  await subscribed(
    two.channel("bytes").on("broadcast", { event: "raw" }, (message) => heard.push(message.payload)),
  );
  const sender = await subscribed(one.channel("bytes"));
  await sender.send({ type: "broadcast", event: "raw", payload: new Uint8Array([1, 2, 255]).buffer });
  await waitFor(() => expect(heard).toHaveLength(1));
  expect(new Uint8Array(heard[0])).toEqual(new Uint8Array([1, 2, 255]));
});

describe("presence", () => {
  it("tells who is there, who comes and who goes", async () => {
    const [one, two] = [await connect(), await connect()];
    const log: string[] = [];
    const watching = one.channel("hall", { config: { presence: { key: "one" } } });
    watching
      .on("presence", { event: "join" }, ({ key }) => log.push(`join ${key}`))
      .on("presence", { event: "leave" }, ({ key }) => log.push(`leave ${key}`));
    await subscribed(watching);
    expect(await watching.track({ mood: "calm" })).toBe("ok");
    const coming = two
      .channel("hall", { config: { presence: { key: "two" } } })
      .on("presence", { event: "sync" }, () => {});
    await subscribed(coming);
    await waitFor(() => expect(Object.keys(coming.presenceState())).toEqual(["one"]));
    await coming.track({ mood: "glad" });
    await waitFor(() =>
      expect(watching.presenceState()).toMatchObject({ one: [{ mood: "calm" }], two: [{ mood: "glad" }] }),
    );
    await coming.untrack();
    await coming.track({ mood: "back" });
    two.realtime.disconnect();
    await waitFor(() => expect(log).toEqual(["join one", "join two", "leave two", "join two", "leave two"]));
    expect(Object.keys(watching.presenceState())).toEqual(["one"]);
  });
});

describe("private channels", () => {
  it("ask the policies on realtime.messages", async () => {
    await sql(`
      create policy "Staff read their room" on realtime.messages for select to authenticated
        using (realtime.topic() = 'staff' and extension = 'broadcast');
      create policy "Alice writes to the staff room" on realtime.messages for insert to authenticated
        with check (realtime.topic() = 'staff' and current_setting('request.jwt.claims')::json->>'sub' = '${alice}');
    `);
    const options = { config: { private: true, broadcast: { ack: true, self: true } } };
    const visitor = await connect();
    await expect(subscribed(visitor.channel("staff", options))).rejects.toThrow(
      "Unauthorized: You do not have permissions to read from this Channel topic: staff",
    );
    const heard: string[] = [];
    const join = async (sub: string) =>
      subscribed(
        (await connect(person(sub)))
          .channel("staff", options)
          .on("broadcast", { event: "*" }, ({ payload }) =>
            heard.push(`${sub === alice ? "alice" : "bob"} ${payload.n}`),
          ),
      );
    const [writer, reader] = [await join(alice), await join(bob)];
    const outside = await subscribed(
      (await connect()).channel("staff", { config: { broadcast: { ack: true } } }),
    );
    await outside.send({ type: "broadcast", event: "e", payload: { n: 1 } }); // a public room of the same name
    await reader.send({ type: "broadcast", event: "e", payload: { n: 2 } }); // may not write
    await writer.send({ type: "broadcast", event: "e", payload: { n: 3 } });
    await waitFor(() => expect(heard.toSorted()).toEqual(["alice 3", "bob 3"]));
    expect((await sql("select from realtime.messages")).rowCount).toBe(0);
  });
});

describe("access", () => {
  const status = (query: string) =>
    new Promise<number | undefined>((resolve) => {
      const socket = new WebSocket(`${url.replace("http", "ws")}/realtime/v1/websocket?${query}`);
      socket.on("unexpected-response", (_, response) => resolve(response.statusCode));
      socket.on("open", () => {
        socket.close();
        resolve(101);
      });
      socket.on("error", () => {});
    });

  it("is refused without a key of this project", async () => {
    expect(await status("vsn=1.0.0")).toBe(401);
    expect(await status("vsn=1.0.0&apikey=nonsense")).toBe(401);
    expect(await status(`apikey=${await tokens.sign({ role: "postgres", exp: later() })}`)).toBe(401);
    expect(await status(`vsn=9&apikey=${anonKey}`)).toBe(400);
    expect(await status(`vsn=2.0.0&apikey=${anonKey}`)).toBe(101);
  });

  it("ends with the token: an expired one does not join, and a joined channel closes", async () => {
    const late = await connect({ role: "authenticated", exp: Math.floor(Date.now() / 1000) - 5 });
    await expect(subscribed(late.channel("any"))).rejects.toThrow("InvalidJWTToken: Token has expired");
    const short = await connect({ role: "authenticated", exp: Math.floor(Date.now() / 1000) + 2 });
    const system: any[] = [];
    let closed = false;
    const channel = short.channel("any").on("system", {}, (message) => system.push(message));
    await new Promise<void>((resolve) =>
      channel.subscribe((state) => {
        if (state === "SUBSCRIBED") resolve();
        if (state === "CLOSED") closed = true;
      }),
    );
    await waitFor(() => expect(closed).toBe(true));
    expect(system.at(-1)).toMatchObject({
      status: "error",
      message: expect.stringMatching(/^Token has expired \d seconds ago/),
    });
  });

  it("is limited in channels for each socket", async () => {
    const client = await connect();
    for (let n = 0; n < 5; n++) await subscribed(client.channel(`room ${n}`));
    await expect(subscribed(client.channel("one too many"))).rejects.toThrow("ChannelRateLimitReached");
  });
});

it("limits how often a socket joins", async () => {
  const socket = new WebSocket(
    `${url.replace("http", "ws")}/realtime/v1/websocket?vsn=2.0.0&apikey=${anonKey}`,
  );
  const reasons: unknown[] = [];
  socket.on("message", (text) => {
    const [, , , event, payload] = JSON.parse(String(text));
    if (event === "phx_reply") reasons.push(payload.response.reason);
  });
  await new Promise((resolve) => socket.on("open", resolve));
  for (let n = 0; n < 60; n++)
    socket.send(JSON.stringify([`${n}`, `${n}`, "realtime:again", "phx_join", {}]));
  await waitFor(() => expect(reasons).toHaveLength(60));
  expect(reasons.slice(0, 50)).toEqual(Array(50).fill(undefined));
  expect(reasons.slice(50)).toEqual(Array(10).fill("ClientJoinRateLimitReached: Too many joins per second"));
  socket.close();
});

describe("whatever a client sends", () => {
  const open = (version: string) =>
    new Promise<WebSocket>((resolve) => {
      const socket = new WebSocket(
        `${url.replace("http", "ws")}/realtime/v1/websocket?vsn=${version}&apikey=${anonKey}`,
      );
      socket.on("error", () => {});
      socket.on("open", () => resolve(socket));
    });

  const closeCode = (socket: WebSocket) => new Promise<number>((resolve) => socket.on("close", resolve));

  it.each<[string, string, string | Buffer, number]>([
    ["text that is not JSON", "2.0.0", "{", 1007],
    ["an object where an array belongs", "2.0.0", "{}", 1007],
    ["null", "1.0.0", "null", 1007],
    ["a message without topic", "1.0.0", '{"event":"phx_join"}', 1007],
    ["bytes of an unknown kind", "2.0.0", Buffer.from([9, 9, 9, 9, 9, 9, 9]), 1007],
    ["bytes cut off", "2.0.0", Buffer.from([3, 200, 0, 0, 0, 0, 1]), 1007],
    ["nothing in bytes", "2.0.0", Buffer.alloc(0), 1007],
    ["more than a frame may hold", "2.0.0", "x".repeat(70_000), 1009],
  ])("%s ends its socket and nothing else", async (_, version, frame, code) => {
    const socket = await open(version);
    const closed = closeCode(socket);
    socket.send(frame);
    expect(await closed).toBe(code);
    await subscribed((await connect()).channel("still alive"));
  });

  it("is answered on the same socket when it is merely wrong", async () => {
    const socket = await open("2.0.0");
    const answers: any[] = [];
    socket.on("message", (text) => answers.push(JSON.parse(String(text))));
    const join = (topic: string, payload: unknown) => JSON.stringify(["1", "1", topic, "phx_join", payload]);
    socket.send(JSON.stringify([null, "7", "phoenix", "heartbeat", {}]));
    socket.send(JSON.stringify([null, "8", "realtime:unjoined", "broadcast", {}]));
    socket.send(join("realtime:", {}));
    socket.send(join("other:topic", {}));
    socket.send(join("realtime:a", { config: { postgres_changes: "all" } }));
    socket.send(join("realtime:a", { access_token: "forged", config: {} }));
    socket.send(join("realtime:a", null));
    await waitFor(() => expect(answers.filter(([, , , event]) => event === "phx_reply")).toHaveLength(7));
    const outcome = answers
      .filter(([, , , event]) => event === "phx_reply")
      .map(([, , , , { status, response }]) => [status, response.reason]);
    expect(outcome).toEqual([
      ["ok", undefined],
      ["error", "unmatched topic"],
      ["error", "TopicNameRequired: You must provide a topic name"],
      ["error", "unmatched topic"],
      ["error", "InvalidJoinPayload: Unable to parse the join payload"],
      ["error", "JwtSignatureError: Failed to validate JWT signature"],
      ["ok", undefined],
    ]);
    socket.close();
  });

  it("does not wait for one that stops reading", async () => {
    const slow = await open("2.0.0");
    slow.send(JSON.stringify(["1", "1", "realtime:flood", "phx_join", { config: {} }]));
    await new Promise((resolve) => slow.once("message", resolve));
    slow.pause();
    const sender = await subscribed(
      (await connect()).channel("flood", { config: { broadcast: { ack: true } } }),
    );
    const closed = closeCode(slow);
    const payload = { text: "x".repeat(60_000) };
    for (let n = 0; n < 200; n++) await sender.send({ type: "broadcast", event: "e", payload });
    slow.resume();
    expect(await closed).toBe(1006);
  });
});
