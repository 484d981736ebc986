// Calls every method of the installed realtime client with its options. Fails when the client gains a method.
import { postgresChangesFilter, RealtimeClient } from "@supabase/supabase-js";
import { describe, expect, it } from "vitest";
import { watchCalls } from "../../testing/client-calls.ts";
import { alice, person, sign, subscribed, useRealtime, waitFor } from "../../testing/realtime.ts";

const { watch, uncalled, known } = watchCalls(
  /^SupabaseClient\.(from|schema|rpc|getOpenApiSpec)$|^RealtimePostgresFilterBuilder\.add$|^Push\./,
);

const server = await useRealtime();
await server.sql(`
  create table public.acts (id int primary key, fee numeric, name text);
  grant select on public.acts to anon, authenticated;
  alter publication supabase_realtime add table public.acts;
  create policy "Alice hears the crew" on realtime.messages for select to authenticated
    using (realtime.topic() = 'crew' and current_setting('request.jwt.claims')::json->>'sub' = '${alice}');
  create policy "Alice speaks to the crew" on realtime.messages for insert to authenticated
    with check (realtime.topic() = 'crew' and current_setting('request.jwt.claims')::json->>'sub' = '${alice}');
`);

const visitor = async () => watch(await server.connect());
const asAlice = async () => watch(await server.connect(person(alice)));
const privately = { config: { private: true } };

/** A bare realtime client, which has no session to get tokens from, and its log. */
function standalone() {
  const lines: string[] = [];
  const logger = (kind: string, message: string) => void lines.push(`${kind}: ${message}`);
  const params = { apikey: server.anonKey };
  return { realtime: watch(new RealtimeClient(`${server.url}/realtime/v1`, { params, logger })), lines };
}

describe("a broadcast", () => {
  it("is sent over a socket, over HTTP, and over HTTP where there is no socket yet", async () => {
    const heard: unknown[] = [];
    await subscribed(
      (await visitor()).channel("room").on("broadcast", { event: "*" }, ({ event, payload }) => {
        heard.push([event, payload instanceof ArrayBuffer ? [...new Uint8Array(payload)] : payload]);
      }),
    );
    const { realtime, lines } = standalone();
    const sender = realtime.channel("room", { config: { broadcast: { ack: true } } });
    expect(await sender.send({ type: "broadcast", event: "early", payload: { n: 1 } })).toBe("ok");
    expect(lines.join()).toContain("falling back to REST");
    expect(await sender.httpSend("json", { n: 2 }, { timeout: 20_000 })).toEqual({ success: true });
    expect(await sender.httpSend("bytes", new Uint8Array([0, 255, 7]))).toEqual({ success: true });
    await subscribed(sender);
    expect(await sender.send({ type: "broadcast", event: "live", payload: { n: 3 } })).toBe("ok");
    await waitFor(() =>
      expect(heard).toEqual([
        ["early", { n: 1 }],
        ["json", { n: 2 }],
        ["bytes", [0, 255, 7]],
        ["live", { n: 3 }],
      ]),
    );
    await realtime.removeAllChannels();
  });

  it("reaches a private channel from senders that its policies allow, with and without a socket", async () => {
    const heard: unknown[] = [];
    const client = await asAlice();
    const listening = client.channel("crew", privately);
    await subscribed(listening.on("broadcast", { event: "*" }, ({ payload }) => heard.push(payload)));
    const { realtime } = standalone();
    const sender = realtime.channel("crew", privately);
    // An anonymous one is accepted, as on the platform, and reaches nobody.
    await sender.httpSend("e", { from: "nobody" });
    await realtime.setAuth(sign(person(alice)));
    expect(await sender.httpSend("e", { from: "alice" })).toEqual({ success: true });
    expect(await sender.send({ type: "broadcast", event: "e", payload: { from: "alice again" } })).toBe("ok");
    await waitFor(() => expect(heard).toEqual([{ from: "alice" }, { from: "alice again" }]));
    await realtime.disconnect();
  });

  it("reaches copied bindings, and none after unsubscribing", async () => {
    const heard: string[] = [];
    const client = await visitor();
    const first = client
      .channel("first")
      .on("broadcast", { event: "e" }, ({ payload }) => heard.push(payload.to));
    const second = client.channel("second");
    second.copyBindings(first);
    await subscribed(first);
    await subscribed(second);
    expect(client.getChannels()).toHaveLength(2);
    const sender = (await visitor()).channel("first");
    const other = (await visitor()).channel("second");
    await sender.httpSend("e", { to: "first" });
    await other.httpSend("e", { to: "second" });
    await waitFor(() => expect(heard).toEqual(["first", "second"]));

    expect(await first.unsubscribe()).toBe("ok");
    expect(client.getChannels().map(({ topic }) => topic)).toEqual(["realtime:second"]);
    first.teardown();
    await sender.httpSend("e", { to: "first" });
    await other.httpSend("e", { to: "second" });
    await waitFor(() => expect(heard).toEqual(["first", "second", "second"]));
    expect(await client.removeChannel(second)).toBe("ok");
    expect(await client.removeAllChannels()).toEqual([]);
  });
});

it("presence fires every event, and works without a listener when enabled", async () => {
  const events: string[] = [];
  const hall = (await visitor()).channel("hall", { config: { presence: { key: "one" } } });
  hall.on("presence", { event: "*" }, (change) => events.push(change?.event ?? "sync"));
  await subscribed(hall);
  const silent = (await visitor()).channel("hall", { config: { presence: { key: "two", enabled: true } } });
  await subscribed(silent);
  expect(await hall.track({ mood: "calm" })).toBe("ok");
  await waitFor(() => expect(silent.presenceState()).toMatchObject({ one: [{ mood: "calm" }] }));
  await waitFor(() => expect(events).toEqual(expect.arrayContaining(["join", "sync"])));
  expect(await hall.untrack()).toBe("ok");
  await waitFor(() => expect(silent.presenceState()).toEqual({}));
  await waitFor(() => expect(events).toContain("leave"));
});

it("row changes are filtered by every operator, built or handwritten", async () => {
  const build = () => watch(postgresChangesFilter());
  const filters: [string | ReturnType<typeof build>, number[]][] = [
    [build().eq("id", 1), [1]],
    [build().neq("id", 1), [2, 3, 4]],
    [build().gt("fee", 10), [3]],
    [build().gte("fee", 10), [2, 3]],
    [build().lt("fee", 10), [1]],
    [build().lte("fee", 10), [1, 2]],
    [build().in("name", ["b,c", "d"]), [2, 3]],
    [build().like("name", "b%"), [2]],
    [build().ilike("name", "A%"), [1]],
    [build().match("name", "^[ad]$"), [1, 3]],
    [build().imatch("name", "^[AD]$"), [1, 3]],
    [build().is("fee", null), [4]],
    [build().isDistinct("name", "a"), [2, 3, 4]],
    [build().not("id", "in", [1, 2]), [3, 4]],
    ["id=neq.1", [2, 3, 4]],
    ["fee=gte.10,id=lt.3", [2]],
    ["name=in.(a,d)", [1, 3]],
  ];
  const seen: number[][] = filters.map(() => []);
  const client = await visitor();
  const channels = [client.channel("acts"), client.channel("more acts")];
  for (const [at, [filter]] of filters.entries()) {
    const asked = { event: "INSERT", schema: "public", table: "acts", filter } as const;
    channels[at % 2]!.on("postgres_changes", asked, (change) =>
      seen[at]!.push((change.new as { id: number }).id),
    );
  }
  let ready = 0;
  for (const channel of channels) await subscribed(channel.on("system", {}, () => ready++));
  await waitFor(() => expect(ready).toBe(2));
  await server.sql("insert into acts values (1, 5, 'a'), (2, 10, 'b,c'), (3, 20, 'd'), (4, null, null)");
  await waitFor(() => expect(seen).toEqual(filters.map(([, ids]) => ids)));
  const written = build().gte("fee", 10).in("name", ["b,c"]);
  expect([written.build(), written.toString()]).toEqual([
    'fee=gte.10,name=in.("b,c")',
    'fee=gte.10,name=in.("b,c")',
  ]);
});

describe("a token set manually", () => {
  it("opens the channels joined after it", async () => {
    const { realtime } = standalone();
    await expect(subscribed(realtime.channel("crew", privately))).rejects.toThrow("Unauthorized");
    await realtime.removeAllChannels();
    await realtime.setAuth(sign(person(alice)));
    await expect(subscribed(realtime.channel("crew", privately))).resolves.toBeDefined();
    await realtime.removeAllChannels();
  });

  it("can be set for a single channel", async () => {
    const { realtime } = standalone();
    const channel = realtime.channel("crew", privately);
    channel.updateJoinPayload({ access_token: sign(person(alice)) });
    await expect(subscribed(channel)).resolves.toBeDefined();
    await realtime.removeChannel(channel);
    await realtime.disconnect();
  });
});

it("the connection opens, sends heartbeats, carries pushes, and closes", async () => {
  const { realtime, lines } = standalone();
  expect(realtime.endpointURL()).toContain(`/realtime/v1/websocket?apikey=${server.anonKey}&vsn=2.0.0`);
  expect([realtime.isConnected(), realtime.connectionState()]).toEqual([false, "closed"]);
  realtime.connect();
  expect(realtime.isConnecting()).toBe(true);
  await waitFor(() => expect([realtime.isConnected(), realtime.connectionState()]).toEqual([true, "open"]));

  const beats: string[] = [];
  realtime.onHeartbeat((status) => beats.push(status));
  await realtime.sendHeartbeat();
  await waitFor(() => expect(beats).toEqual(["sent", "ok"]));
  expect(realtime.hasLogger()).toBe(true);
  realtime.log("test", "a line of its own");
  expect(lines).toContain("test: a line of its own");

  const heard: unknown[] = [];
  const channel = realtime.channel("raw", { config: { broadcast: { self: true } } });
  await subscribed(channel.on("broadcast", { event: "e" }, ({ payload }) => heard.push(payload)));
  realtime.push({
    ...{ topic: "realtime:raw", event: "broadcast", ref: "99", join_ref: channel.joinPush.ref! },
    payload: { type: "broadcast", event: "e", payload: { n: 1 } },
  });
  await waitFor(() => expect(heard).toEqual([{ n: 1 }]));
  expect(realtime.getChannels()).toHaveLength(1);
  const closing = realtime.disconnect();
  expect(realtime.isDisconnecting()).toBe(true);
  expect(await closing).toBe("ok");
  expect(realtime.isConnected()).toBe(false);
});

it("has every client method called above", () => {
  expect(uncalled()).toEqual([]);
  expect(known()).toBeGreaterThan(40);
});
