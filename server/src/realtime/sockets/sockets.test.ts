import { createClient, REALTIME_SUBSCRIBE_STATES } from "@supabase/supabase-js";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { alice, sign, startRealtime, subscribed, useRealtime, waitFor } from "../../../testing/realtime.ts";

const server = await useRealtime({ channels: 5, payload: 64 * 1024, messagesPerSecond: 1000 });

describe("access", () => {
  const status = (query: string) =>
    new Promise<number | undefined>((resolve) => {
      const socket = new WebSocket(`${server.socketUrl}?${query}`);
      socket.on("unexpected-response", (_, response) => resolve(response.statusCode));
      socket.on("open", () => {
        socket.close();
        resolve(101);
      });
      socket.on("error", () => {});
    });

  it("is refused without one of this project's keys", async () => {
    expect(await status("vsn=1.0.0")).toBe(401);
    expect(await status("vsn=1.0.0&apikey=nonsense")).toBe(401);
    expect(await status(`apikey=${sign({ role: "postgres" })}`)).toBe(401);
    expect(await status(`vsn=9&apikey=${server.anonKey}`)).toBe(400);
    expect(await status(`vsn=2.0.0&apikey=${server.anonKey}`)).toBe(101);
  });

  it("lets the service use its own key in the join and the public one in the address", async () => {
    const serviceKey = sign({ role: "service_role" });
    const client = createClient(server.url, serviceKey, {
      auth: { persistSession: false, autoRefreshToken: false },
      realtime: { params: { apikey: server.anonKey } },
    });
    const address = client.realtime.endpointURL();
    expect([address.includes(server.anonKey), address.includes(serviceKey)]).toEqual([true, false]);
    const options = { config: { private: true } };
    await client.realtime.setAuth();
    await subscribed(client.channel("staff only", options));
    await expect(subscribed((await server.connect()).channel("staff only", options))).rejects.toThrow();
    await client.removeAllChannels();
    await client.realtime.disconnect();
  });

  it("answers the official client's heartbeats", async () => {
    const { realtime } = await server.connect();
    await subscribed(realtime.channel("beating"));
    const states: string[] = [];
    realtime.onHeartbeat((state) => states.push(state));
    await realtime.sendHeartbeat();
    await waitFor(() => expect(states).toEqual(["sent", "ok"]));
  });

  it("does not wait for the database until a channel is joined", async () => {
    const token = sign({ role: "authenticated", sub: alice });
    await server.transaction(async (tx) => {
      await tx.query("lock table auth.users in access exclusive mode");
      expect(await status(`apikey=${token}`)).toBe(101);
    });
  });

  it("ends with the token: an expired one cannot join, and a joined channel closes", async () => {
    const late = await server.connect({ role: "authenticated", exp: Math.floor(Date.now() / 1000) - 5 });
    await expect(subscribed(late.channel("any"))).rejects.toThrow(
      /^InvalidJWTToken: Token has expired \d+ seconds ago$/,
    );
    const short = await server.connect({ role: "authenticated", exp: Math.floor(Date.now() / 1000) + 8 });
    const system: any[] = [];
    let closed = false;
    const channel = short.channel("any").on("system", {}, (message) => system.push(message));
    await new Promise<void>((resolve) =>
      channel.subscribe((state) => {
        if (state === REALTIME_SUBSCRIBE_STATES.SUBSCRIBED) resolve();
        if (state === REALTIME_SUBSCRIBE_STATES.CLOSED) closed = true;
      }),
    );
    await waitFor(() => expect(closed).toBe(true));
    expect(system.at(-1)).toMatchObject({
      status: "error",
      message: expect.stringMatching(/^Token has expired \d seconds ago/),
    });
  });

  it("is limited to a number of channels for each socket", async () => {
    const client = await server.connect();
    for (let n = 0; n < 5; n++) await subscribed(client.channel(`room ${n}`));
    await expect(subscribed(client.channel("one too many"))).rejects.toThrow("ChannelRateLimitReached");
  });
});

it("limits how often a socket joins", async () => {
  const socket = new WebSocket(`${server.socketUrl}?vsn=2.0.0&apikey=${server.anonKey}`);
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
  const open = (version: string, { socketUrl } = server) =>
    new Promise<WebSocket>((resolve) => {
      const socket = new WebSocket(`${socketUrl}?vsn=${version}&apikey=${server.anonKey}`);
      socket.on("error", () => {});
      socket.on("open", () => resolve(socket));
    });

  const closeCode = (socket: WebSocket) => new Promise<number>((resolve) => socket.on("close", resolve));

  it.each<[string, string, string | Buffer, number]>([
    ["text that is not JSON", "2.0.0", "{", 1007],
    [
      "brackets a hundred deep",
      "2.0.0",
      `["1","2","realtime:a","broadcast",${"[".repeat(100)}${"]".repeat(100)}]`,
      1007,
    ],
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
    await subscribed((await server.connect()).channel("still alive"));
  });

  it("gets an error reply on the same socket when it is merely invalid", async () => {
    // A fresh server, which has refused this address nothing yet: after ten refusals each one adds a longer
    // pause.
    const lenient = await startRealtime({}, { database: server.database });
    onTestFinished(() => lenient.close());
    const socket = await open("2.0.0", lenient);
    const answers: any[] = [];
    socket.on("message", (text) => answers.push(JSON.parse(String(text))));
    const join = (topic: string, payload: unknown) => JSON.stringify(["1", "1", topic, "phx_join", payload]);
    socket.send(JSON.stringify([null, "7", "phoenix", "heartbeat", {}]));
    socket.send(JSON.stringify([null, "8", "realtime:unjoined", "broadcast", {}]));
    socket.send(join("realtime:", {}));
    socket.send(join("other:topic", {}));
    socket.send(join("realtime:a", { config: { postgres_changes: "all" } }));
    socket.send(join("realtime:a", { access_token: "no token", config: {} }));
    socket.send(join("realtime:a", { access_token: `${server.anonKey}x`, config: {} }));
    const longer = sign({ role: "anon", note: "x".repeat(12_300) });
    socket.send(join("realtime:a", { access_token: longer, config: {} }));
    socket.send(join("realtime:a", null));
    await waitFor(() => expect(answers.filter(([, , , event]) => event === "phx_reply")).toHaveLength(9));
    const outcome = answers
      .filter(([, , , event]) => event === "phx_reply")
      .map(([, , , , { status, response }]) => [status, response.reason]);
    expect(outcome).toEqual([
      ["ok", undefined],
      ["error", "unmatched topic"],
      ["error", "TopicNameRequired: You must provide a topic name"],
      ["error", "unmatched topic"],
      ["error", "InvalidJoinPayload: Unable to parse the join payload"],
      ["error", "MalformedJWT: The token provided is not a valid JWT"],
      ["error", "JwtSignatureError: Failed to validate JWT signature"],
      ["error", "JwtSignatureError: Failed to validate JWT signature"],
      ["ok", undefined],
    ]);
    socket.close();
  });

  it("does not hold up the others when it stops reading: its socket is cut off", async () => {
    const slow = await open("2.0.0");
    slow.send(JSON.stringify(["1", "1", "realtime:flood", "phx_join", { config: {} }]));
    await new Promise((resolve) => slow.once("message", resolve));
    slow.pause();
    const sender = await subscribed(
      (await server.connect()).channel("flood", { config: { broadcast: { ack: true } } }),
    );
    const closed = closeCode(slow);
    const payload = { text: "x".repeat(60_000) };
    for (let n = 0; n < 200; n++) await sender.send({ type: "broadcast", event: "e", payload });
    slow.resume();
    expect(await closed).toBe(1006);
  });
});
