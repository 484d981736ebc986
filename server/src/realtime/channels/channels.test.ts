import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { alice, bob, person, subscribed, useRealtime, waitFor } from "../../../testing/realtime.ts";

const server = await useRealtime();

describe.each(["1.0.0", "2.0.0"])("broadcasts, protocol %s", (version) => {
  it("reach the others on a topic, and the sender on request", async () => {
    const [one, two] = [await server.connect(undefined, version), await server.connect(undefined, version)];
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

  it("can be sent over HTTP without a socket", async () => {
    const client = await server.connect(undefined, version);
    const heard: any[] = [];
    await subscribed(
      client.channel("room").on("broadcast", { event: "*" }, (message) => heard.push(message)),
    );
    const sender = (await server.connect()).channel("room");
    expect(await sender.httpSend("single", { n: 1 })).toEqual({ success: true });
    const batch = await fetch(`${server.url}/realtime/v1/api/broadcast`, {
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
    const typed = await fetch(`${server.url}/realtime/v1/api/broadcast/room/events/e`, {
      ...{ method: "POST", body: "text", headers: { "content-type": "text/plain" } },
    });
    expect(typed.status).toBe(415);
    const bad = await fetch(`${server.url}/realtime/v1/api/broadcast`, { method: "POST", body: "{" });
    expect(bad.status).toBe(422);
  });
});

it("refuses to store a message, and does not send it", async () => {
  await server.sql(`create policy "Signed-in users may do anything in the vault" on realtime.messages
    to authenticated using (realtime.topic() = 'vault') with check (realtime.topic() = 'vault')`);
  const config = { private: true, broadcast: { ack: true, self: true } };
  const client = await server.connect(person(alice));
  const heard: any[] = [];
  const channel = await subscribed(
    client.channel("vault", { config }).on("broadcast", { event: "*" }, ({ event }) => heard.push(event)),
  );
  const why = "Messages are not stored here. To replay a message, send it with realtime.send";
  for (const persist of [true, { ttl: 60 }]) {
    await expect(channel.httpSend("kept", { n: 1 }, { persist })).rejects.toThrow(why);
    const sent = await channel.send({ type: "broadcast", event: "kept", payload: {}, persist });
    expect(sent).toBe(why);
  }
  expect(await channel.send({ type: "broadcast", event: "said", payload: {} })).toBe("ok");
  expect(await channel.httpSend("over HTTP", {})).toEqual({ success: true });
  await waitFor(() => expect(heard).toEqual(["said", "over HTTP"]));
});

it("carries bytes from one socket to another", async () => {
  const [one, two] = [await server.connect(), await server.connect()];
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
  it("shows who is there, who joins and who leaves", async () => {
    const [one, two] = [await server.connect(), await server.connect()];
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
    void two.realtime.disconnect();
    await waitFor(() => expect(log).toEqual(["join one", "join two", "leave two", "join two", "leave two"]));
    expect(Object.keys(watching.presenceState())).toEqual(["one"]);
  });
});

it("an error ends a channel that tracks again and again, or tracks something other than a map", async () => {
  const system: any[] = [];
  const channel = (await server.connect())
    .channel("busy")
    .on("presence", { event: "sync" }, () => {})
    .on("system", {}, (message) => system.push(message));
  await subscribed(channel);
  expect(await channel.track([] as never)).toBe("error");
  for (let n = 0; n < 50; n++) void channel.track({ n });
  await waitFor(() =>
    expect(system).toEqual([
      {
        extension: "system",
        status: "error",
        message: "Client presence rate limit exceeded",
        channel: "busy",
      },
    ]),
  );
});

describe("a presence key", () => {
  it.each(["__proto__", "constructor", "toString"])("may be %s", async (key) => {
    const first = await subscribed(
      (await server.connect(person(alice))).channel(`odd ${key}`, { config: { presence: { key } } }),
    );
    await first.track({ at: "gate" });
    const socket = new WebSocket(`${server.socketUrl}?vsn=1.0.0&apikey=${server.anonKey}`);
    const states: string[] = [];
    let closed = false;
    socket.on("close", () => (closed = true));
    socket.on("message", (text) => {
      const { event, payload } = JSON.parse(String(text));
      if (event === "presence_state") states.push(JSON.stringify(payload));
    });
    await once(socket, "open");
    socket.send(
      JSON.stringify({
        topic: `realtime:odd ${key}`,
        event: "phx_join",
        payload: {},
        ref: "1",
        join_ref: "1",
      }),
    );
    await waitFor(() => expect(states.length > 0 || closed).toBe(true));
    expect(states[0]).toMatch(new RegExp(`^\\{"${key}":\\{"metas":\\[\\{"at":"gate"`));
    socket.close();
  });
});

describe("private channels", () => {
  it("check the policies on realtime.messages", async () => {
    await server.sql(`
      create policy "Staff read their room" on realtime.messages for select to authenticated
        using (realtime.topic() = 'staff' and extension = 'broadcast');
      create policy "Alice writes to the staff room" on realtime.messages for insert to authenticated
        with check (realtime.topic() = 'staff' and current_setting('request.jwt.claims')::json->>'sub' = '${alice}');
    `);
    const options = { config: { private: true, broadcast: { ack: true, self: true } } };
    const visitor = await server.connect();
    await expect(subscribed(visitor.channel("staff", options))).rejects.toThrow(
      "Unauthorized: You do not have permissions to read from this Channel topic: staff",
    );
    const heard: string[] = [];
    const join = async (sub: string) =>
      subscribed(
        (await server.connect(person(sub)))
          .channel("staff", options)
          .on("broadcast", { event: "*" }, ({ payload }) =>
            heard.push(`${sub === alice ? "alice" : "bob"} ${payload.n}`),
          ),
      );
    const [writer, reader] = [await join(alice), await join(bob)];
    const outside = await subscribed(
      (await server.connect()).channel("staff", { config: { broadcast: { ack: true } } }),
    );
    await outside.send({ type: "broadcast", event: "e", payload: { n: 1 } }); // a public room of the same name
    void reader.send({ type: "broadcast", event: "e", payload: { n: 2 } }); // may not write, and gets no reply
    await writer.send({ type: "broadcast", event: "e", payload: { n: 3 } });
    await waitFor(() => expect(heard.toSorted()).toEqual(["alice 3", "bob 3"]));
    expect((await server.sql("select from realtime.messages")).rowCount).toBe(0);
  });
});
