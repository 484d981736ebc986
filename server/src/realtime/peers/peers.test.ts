// Two server processes on one database, in this test two services: what is sent in one arrives in both, once.
import type { SupabaseClient } from "@supabase/supabase-js";
import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  person,
  alice,
  standStill,
  startRealtime,
  subscribed,
  type TestServer,
  waitFor,
} from "../../../testing/realtime.ts";

const peerSilence = 1_000;
let one: TestServer;
let two: TestServer;
beforeAll(async () => {
  one = await startRealtime({}, { peerSilence });
  two = await startRealtime({}, { peerSilence, database: one.database });
  await one.sql("create table public.boards (id int primary key)");
  await one.sql("alter publication supabase_realtime add table public.boards");
  await one.sql("grant select on public.boards to anon, authenticated");
});
afterEach(async () => {
  await one.disconnectAll();
  await two.disconnectAll();
});
afterAll(async () => {
  await two?.close();
  await one?.close();
});

/** Joins once messages from SQL arrive, so that the process has met the others. */
async function listen(client: SupabaseClient, topic: string) {
  const heard: any[] = [];
  const channel = client
    .channel(topic, { config: { broadcast: { self: true, replication_ready: true } } })
    .on("broadcast", { event: "*" }, (message) => heard.push(message))
    .on("system", {}, () => heard.push("ready"));
  await subscribed(channel);
  await waitFor(() => expect(heard.splice(0)).toEqual(["ready"]));
  return { heard, channel };
}

/** Messages only cross between processes that have met: sends until one arrives, then clears them all. */
async function meet(from: Awaited<ReturnType<typeof listen>>, to: Awaited<ReturnType<typeof listen>>) {
  await waitFor(async () => {
    await from.channel.send({ type: "broadcast", event: "meet", payload: {} });
    expect(to.heard.length).toBeGreaterThan(0);
  });
  await from.channel.send({ type: "broadcast", event: "met", payload: {} });
  await waitFor(() => expect([from, to].map(({ heard }) => heard.at(-1)?.event)).toEqual(["met", "met"]));
  for (const { heard } of [from, to]) heard.length = 0;
}

describe.each(["1.0.0", "2.0.0"])("broadcasts between processes, protocol %s", (version) => {
  it("arrive once, in order, whatever their size, over sockets, HTTP and from SQL", async () => {
    const here = await listen(await one.connect(undefined, version), "room");
    const there = await listen(await two.connect(undefined, version), "room");
    await meet(here, there);
    const large = "¡olé! 🎉 ".repeat(8_000);
    await here.channel.send({ type: "broadcast", event: "small", payload: { n: 1 } });
    await here.channel.send({ type: "broadcast", event: "large", payload: { large } });
    for (const n of [1, 1, 1]) await here.channel.send({ type: "broadcast", event: "same", payload: { n } });
    await here.channel.httpSend("http", { n: 2 });
    const seen = (heard: any[]) => heard.map(({ event }) => event);
    const expected = ["small", "large", "same", "same", "same", "http"];
    await waitFor(() => expect([seen(here.heard), seen(there.heard)]).toEqual([expected, expected]));
    expect(there.heard[1].payload.large).toBe(large);
    await one.sql(
      `select realtime.send(jsonb_build_object('n', n), 'sql', 'room', false) from generate_series(1, 20) n`,
    );
    await waitFor(() => expect([here.heard.length, there.heard.length]).toEqual([26, 26]));
    await there.channel.send({ type: "broadcast", event: "back", payload: {} });
    await waitFor(() =>
      expect([seen(here.heard).slice(26), seen(there.heard).slice(26)]).toEqual([["back"], ["back"]]),
    );
  });
});

it("carries bytes to another process", async () => {
  const here = await listen(await one.connect(), "bytes");
  const there = await listen(await two.connect(), "bytes");
  await meet(here, there);
  const bytes = Uint8Array.from({ length: 20_000 }, (_, at) => at % 256);
  await here.channel.send({ type: "broadcast", event: "raw", payload: bytes.buffer });
  await waitFor(() => expect(there.heard).toHaveLength(1));
  expect(new Uint8Array(there.heard[0].payload)).toEqual(bytes);
});

it("broadcasts continue after the processes themselves were suspended", async () => {
  const here = await listen(await one.connect(), "room");
  const there = await listen(await two.connect(), "room");
  await meet(here, there);
  standStill(1_500);
  await new Promise(setImmediate); // what was due meanwhile has run
  await here.channel.send({ type: "broadcast", event: "after", payload: {} });
  await waitFor(() => expect(there.heard.map(({ event }) => event)).toEqual(["after"]));
});

it("changes of rows reach the clients of each process once", async () => {
  const heard: string[] = [];
  for (const [name, server] of Object.entries({ one, two })) {
    const flowing = Promise.withResolvers<void>();
    await subscribed(
      (await server.connect())
        .channel("boards")
        .on("postgres_changes", { event: "INSERT", schema: "public", table: "boards" }, (change) =>
          heard.push(`${name} ${change.new.id}`),
        )
        .on("system", {}, () => flowing.resolve()),
    );
    await flowing.promise;
  }
  await one.sql("insert into boards values (1), (2)");
  await waitFor(() => expect(heard.toSorted()).toEqual(["one 1", "one 2", "two 1", "two 2"]));
});

describe("presence over processes", () => {
  const hall = async (server: TestServer, key: string) => {
    const log: string[] = [];
    const channel = (await server.connect(person(alice)))
      .channel("hall", { config: { presence: { key } } })
      .on("presence", { event: "join" }, (event) => log.push(`join ${event.key}`))
      .on("presence", { event: "leave" }, (event) => log.push(`leave ${event.key}`));
    await subscribed(channel);
    return { channel, log, who: () => Object.keys(channel.presenceState()).toSorted() };
  };

  it("shows everybody everywhere, and who leaves", async () => {
    const [first, second] = [await hall(one, "first"), await hall(two, "second")];
    await first.channel.track({ mood: "calm" });
    await waitFor(() => expect(second.channel.presenceState()).toMatchObject({ first: [{ mood: "calm" }] }));
    await second.channel.track({ mood: "glad" });
    await first.channel.track({ mood: "gone soon" });
    const late = await hall(two, "late");
    await waitFor(() => {
      for (const { who } of [first, second, late]) expect(who()).toEqual(["first", "second"]);
      expect(late.channel.presenceState()).toMatchObject({ first: [{ mood: "gone soon" }] });
    });
    await first.channel.untrack();
    await waitFor(() => {
      for (const { who } of [first, second, late]) expect(who()).toEqual(["second"]);
    });
    expect(second.log.filter((each) => each === "leave first")).toHaveLength(2); // when it changed its mood, and when it left
  });

  it("tells a starting process who is already there, and removes the members of a process that ends", async () => {
    const first = await hall(one, "first");
    await first.channel.track({});
    const three = await startRealtime({}, { peerSilence, database: one.database });
    const third = await hall(three, "third");
    await third.channel.track({});
    await waitFor(() =>
      expect([first.who(), third.who()]).toEqual([
        ["first", "third"],
        ["first", "third"],
      ]),
    );
    await three.disconnectAll();
    await three.close();
    await waitFor(() => expect(first.who()).toEqual(["first"]));
  });
});

it("removes the members of a process that has fallen silent, and ignores messages that no process sends", async () => {
  const watching = (await one.connect()).channel("ghosts").on("presence", { event: "sync" }, () => {});
  await subscribed(watching);
  const say = (message: object) => one.sql("select pg_notify('realtime', $1)", [JSON.stringify(message)]);
  const room = { topic: "realtime:ghosts", private: false };
  await one.sql("select pg_notify('realtime', '{')");
  for (const part of [0, 2]) await say({ from: "ghost", kind: "part", of: 1, part, parts: 3, data: "e30=" });
  await say({ from: "ghost", number: 2, kind: "presence", room, joins: [["boo", {}]], leaves: [] });
  await say({
    from: "ghost",
    number: 3,
    kind: "presence",
    room,
    joins: [["boo", { phx_ref: "b" }]],
    leaves: [],
  });
  await waitFor(() => expect(Object.keys(watching.presenceState())).toEqual(["boo"]));
  await waitFor(() => expect(watching.presenceState()).toEqual({}));
});

it("loses nothing that a later read does not show when a process dies: its clients reconnect to the other", async () => {
  const doomed = await startRealtime({}, { peerSilence, database: one.database });
  const door = await openDoor(doomed, one);
  const watcher = await listen(await one.connect(), "room");
  const client = await doomed.connect(undefined, undefined, door.url);
  const states: string[] = [];
  const heard: any[] = [];
  client
    .channel("room", { config: { broadcast: { self: true } } })
    .on("broadcast", { event: "*" }, (message) => heard.push(message))
    .subscribe((status) => states.push(status));
  await waitFor(() => expect(states).toContain("SUBSCRIBED"));
  states.length = 0;
  door.kill();
  await waitFor(() => expect(states).toContain("SUBSCRIBED")); // the client's own retries, through the same address
  await watcher.channel.send({ type: "broadcast", event: "after", payload: {} });
  await waitFor(() => expect(heard.map(({ event }) => event)).toEqual(["after"]));
  await client.removeAllChannels();
  await client.realtime.disconnect();
  await doomed.close();
});

/** A load balancer's address: leads to the first server until that is killed, and then to the second. */
async function openDoor(first: TestServer, second: TestServer) {
  let target = first;
  const open = new Set<Socket>();
  const door = createServer((client) => {
    const server = connect(Number(new URL(target.url).port), "127.0.0.1");
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    client.pipe(server).pipe(client);
  }).listen(0, "127.0.0.1");
  await once(door, "listening");
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    door.close();
  });
  return {
    url: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
    kill() {
      target = second;
      for (const socket of open) socket.destroy();
    },
  };
}
