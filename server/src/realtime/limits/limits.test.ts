// Limits that keep one client, or one address, from hurting the others.
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import {
  alice,
  person,
  sign,
  startRealtime,
  subscribed,
  type TestServer,
} from "../../../testing/realtime.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startRealtime(
    { socketsPerAddress: 3, messagesPerSecond: 30, payload: 40_000, joinedPerAddress: 25 },
    { anonymousBroadcast: false },
  );
});
afterAll(() => server.close());

const open = () => new WebSocket(`${server.socketUrl}?vsn=1.0.0&apikey=${server.anonKey}`);
const heartbeat = (ref: number) =>
  JSON.stringify({ topic: "phoenix", event: "heartbeat", payload: {}, ref: String(ref) });

const broadcast = (messages: object[], token = server.anonKey) =>
  fetch(`${server.url}/realtime/v1/api/broadcast`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ messages }),
  });

describe("sockets", () => {
  it("are limited for each address, and make room when they close", async () => {
    const sockets = [open(), open(), open()];
    await Promise.all(sockets.map((socket) => once(socket, "open")));
    const [, refused] = (await once(open(), "unexpected-response")) as [unknown, IncomingMessage];
    expect(refused.statusCode).toBe(429);
    sockets[0]!.close();
    await once(sockets[0]!, "close");
    await expect.poll(() => connects()).toBe(true);
    for (const socket of sockets) socket.terminate();
  });

  it("are closed when they send too much in a second, or too much at once", async () => {
    await expect.poll(() => connects()).toBe(true);
    const many = open();
    await once(many, "open");
    const frames: string[] = [];
    many.on("message", (frame) => frames.push(String(frame)));
    many.send(JSON.stringify({ topic: "realtime:a", event: "phx_join", payload: {}, ref: "1" }));
    await expect.poll(() => frames.some((frame) => frame.includes("phx_reply"))).toBe(true);
    for (let n = 0; n < 40; n++) many.send(heartbeat(n));
    expect((await once(many, "close"))[0]).toBe(1008);
    expect(frames.filter((frame) => frame.includes('"message":"Too many messages per second"'))).toHaveLength(
      1,
    );
    const large = open();
    await once(large, "open");
    large.send("x".repeat(40_001));
    expect((await once(large, "close"))[0]).toBe(1009);
  });

  it("are closed by a frame with text that no database stores", async () => {
    const socket = open();
    await once(socket, "open");
    socket.send(String.raw`{"topic":"realtime:a\u0000","event":"phx_join","payload":{},"ref":"1"}`);
    expect((await once(socket, "close"))[0]).toBe(1007);
  });
});

describe("a server's limits", () => {
  let small: TestServer;
  beforeAll(async () => {
    small = await startRealtime({ sockets: 2, silence: 1_000, presence: 12_000 });
  });
  afterAll(() => small.close());
  const socketTo = () => new WebSocket(`${small.socketUrl}?vsn=1.0.0&apikey=${small.anonKey}`);

  it("apply to the sockets of all addresses together, and make room when one closes", async () => {
    const sockets = [socketTo(), socketTo()];
    await Promise.all(sockets.map((socket) => once(socket, "open")));
    const [, refused] = (await once(socketTo(), "unexpected-response")) as [unknown, IncomingMessage];
    expect(refused.statusCode).toBe(429);
    for (const socket of sockets) socket.terminate();
    await expect.poll(() => connects(socketTo())).toBe(true);
  });

  it("close a socket that is silent, and keep one that sends heartbeats", async () => {
    await expect.poll(() => connects(socketTo())).toBe(true);
    const [quiet, alive] = [socketTo(), socketTo()];
    await Promise.all([quiet, alive].map((socket) => once(socket, "open")));
    const beating = setInterval(() => alive.send(heartbeat(1)), 100);
    expect(await once(quiet, "close")).toEqual([1000, Buffer.from("No heartbeat")]);
    expect(alive.readyState).toBe(WebSocket.OPEN);
    clearInterval(beating);
    expect(await once(alive, "close")).toEqual([1000, Buffer.from("No heartbeat")]);
  });

  it("bound what one member tracks, and what a newcomer to the room receives", async () => {
    const channelOf = async (key: string) =>
      subscribed((await small.connect(person(alice))).channel("hall", { config: { presence: { key } } }));
    const [first, second] = [await channelOf("first"), await channelOf("second")];
    const text = (length: number) => ({ text: "x".repeat(length) });
    await expect(first.track(text(10_001))).resolves.toBe("error");
    expect(await first.track(text(9_000))).toBe("ok");
    await expect(second.track(text(9_000))).resolves.toBe("error");
    expect(await first.track(text(2_000))).toBe("ok"); // replaces what it tracked
    expect(await second.track(text(9_000))).toBe("ok");
    await first.untrack();
    expect(await second.track(text(9_500))).toBe("ok");
    await small.disconnectAll();
  });
});

describe("what the sockets of one address leave unread", () => {
  it("is bounded for all of them together: the one that leaves the most is cut off, one that reads stays", async () => {
    const lines: string[] = [];
    const log = { debug() {}, info() {}, warn: (_: object, line: string) => lines.push(line), error() {} };
    const loud = await startRealtime({ unreadPerAddress: 1024 * 1024, buffered: 1024 ** 3 }, { log });
    const listen = async () => {
      const socket = new WebSocket(`${loud.socketUrl}?vsn=1.0.0&apikey=${loud.anonKey}`);
      await once(socket, "open");
      socket.send(JSON.stringify({ topic: "realtime:hall", event: "phx_join", payload: {}, ref: "1" }));
      await once(socket, "message");
      return socket;
    };
    const [reader, deaf] = [await listen(), await listen()];
    let heard = 0;
    reader.on("message", (frame) => (heard += String(frame).includes('"said"') ? 1 : 0));
    deaf.pause();
    const messages = [{ topic: "hall", event: "said", payload: { text: "x".repeat(200_000) } }];
    let said = 0;
    const say = async () => {
      const { status } = await fetch(`${loud.url}/realtime/v1/api/broadcast`, {
        method: "POST",
        headers: { authorization: `Bearer ${sign(person(alice))}`, "content-type": "application/json" },
        body: JSON.stringify({ messages }),
      });
      said += Number(status === 202);
      return lines;
    };
    // The system's own buffers absorb some megabytes first.
    const closed = "a realtime socket was closed: its address leaves too much unread";
    await expect.poll(say, { timeout: 20_000, interval: 5 }).toEqual([closed]);
    await expect.poll(() => heard).toBe(said);
    expect(reader.readyState).toBe(WebSocket.OPEN);
    const ended = once(deaf, "close");
    deaf.resume();
    expect((await ended)[0]).toBe(1006);
    reader.terminate();
    await loud.close();
  });
});

describe("joins of one address in a second", () => {
  let strict: TestServer;
  beforeAll(async () => {
    strict = await startRealtime({ joinsPerSecondOfAddress: 5, joinsPerSecond: 100 });
  });
  afterAll(() => strict.close());

  it("are refused beyond its share, over all its sockets, with the platform's words, and allowed again", async () => {
    const sockets = Array.from(
      { length: 3 },
      () => new WebSocket(`${strict.socketUrl}?vsn=1.0.0&apikey=${strict.anonKey}`),
    );
    await Promise.all(sockets.map((socket) => once(socket, "open")));
    const join = (socket: WebSocket, topic: string) =>
      new Promise<{ status: string; response: { reason?: string } }>((answered) => {
        socket.on("message", (frame) => {
          const message = JSON.parse(String(frame));
          if (message.topic === topic && message.event === "phx_reply") answered(message.payload);
        });
        socket.send(JSON.stringify({ topic, event: "phx_join", payload: {}, ref: topic }));
      });
    const answers = await Promise.all(
      sockets.flatMap((socket, at) =>
        Array.from({ length: 10 }, (_, n) => join(socket, `realtime:${at}-${n}`)),
      ),
    );
    const refused = answers.filter(({ status }) => status === "error");
    expect(refused.length).toBeGreaterThan(15);
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(5);
    expect(new Set(refused.map(({ response }) => response.reason))).toEqual(
      new Set(["ClientJoinRateLimitReached: Too many joins per second"]),
    );
    let again = 0;
    await expect.poll(async () => (await join(sockets[0]!, `realtime:again-${again++}`)).status).toBe("ok");
    for (const socket of sockets) socket.terminate();
  });
});

describe("JSON that nests too deeply", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  const closing = async (frame: string | Buffer) => {
    const socket = new WebSocket(`${server.socketUrl}?vsn=2.0.0&apikey=${server.anonKey}`);
    await once(socket, "open");
    socket.send(frame);
    socket.send('[null,"7","phoenix","heartbeat",{}]');
    const ended = await Promise.race([once(socket, "close"), once(socket, "message")]);
    socket.terminate();
    return typeof ended[0] === "number" ? ended[0] : "goes on";
  };
  const push = (json: string) => {
    const [topic, event] = ["realtime:square", "say"];
    const head = Buffer.from([3, 0, 0, topic.length, event.length, 0, 1]);
    return Buffer.concat([head, Buffer.from(topic + event + json)]);
  };

  it("ends the socket that sent it, in a text frame and in a broadcast", async () => {
    const frame = (levels: number) => `[null,null,"realtime:square","say",${nested(levels - 1)}]`;
    expect(await closing(frame(64))).toBe("goes on");
    expect(await closing(frame(65))).toBe(1007);
    expect(await closing(push(nested(64)))).toBe("goes on");
    expect(await closing(push(nested(65)))).toBe(1007);
  });
});

describe("joins", () => {
  const change = (filter: string) => ({ event: "*", schema: "public", table: "site_visits", filter });
  const join = (topic: string, config: object, ref: unknown = "1") =>
    JSON.stringify({ topic, event: "phx_join", payload: { config }, ref });

  /** The reply to one join on a socket, or the code with which the socket is closed. */
  async function answerTo(socket: WebSocket, frame: string) {
    const answered = new Promise<unknown>((resolve) => {
      socket.on("message", (data) => {
        const { event, payload } = JSON.parse(String(data));
        if (event === "phx_reply")
          resolve(payload.status === "ok" ? "ok" : payload.response.reason.split(":")[0]);
      });
      socket.once("close", resolve);
    });
    socket.send(frame);
    const answer = await answered;
    socket.removeAllListeners("message");
    return answer;
  }

  async function opened() {
    await expect.poll(() => connects()).toBe(true);
    const socket = open();
    await once(socket, "open");
    return socket;
  }

  it.each([
    ["twenty-one requests for changes", { postgres_changes: Array(21).fill(change("page_path=eq./")) }],
    ["filters of 17 KB", { postgres_changes: [change(`page_path=eq.${"x".repeat(17_000)}`)] }],
    [
      "17 KB beside a request",
      { postgres_changes: [{ ...change("page_path=eq./"), more: "x".repeat(17_000) }] },
    ],
    ["a name in presence of 300 characters", { presence: { key: "x".repeat(300) } }],
  ])("are refused with %s", async (_, config) => {
    const socket = await opened();
    expect(await answerTo(socket, join("realtime:a", config))).toBe("InvalidJoinPayload");
    socket.terminate();
  });

  it("are refused with a topic or a ref that is too long to keep", async () => {
    const socket = await opened();
    expect(await answerTo(socket, join(`realtime:${"a".repeat(300)}`, {}))).toBe("TopicNameTooLong");
    expect(await answerTo(socket, join("realtime:a", {}, "1".repeat(100)))).toBe(1007);
  });

  it("are limited for each address over all its sockets, and make room when they leave", async () => {
    const [one, other] = [await opened(), await opened()];
    const twelve = { postgres_changes: Array(11).fill(change("page_path=eq./")) };
    expect(await answerTo(one, join("realtime:a", twelve))).toBe("ok");
    expect(await answerTo(one, join("realtime:a", twelve))).toBe("ok"); // again: the first was left
    expect(await answerTo(other, join("realtime:b", twelve))).toBe("ok");
    expect(await answerTo(other, join("realtime:c", twelve))).toBe("ChannelRateLimitReached");
    one.terminate();
    await expect.poll(() => answerTo(other, join("realtime:c", twelve))).toBe("ok");
    other.terminate();
  });
});

describe("joins that are refused again and again", () => {
  let busy: TestServer;
  const denied: object[] = [];
  const warn = (fields: object, message: string) => denied.push({ ...fields, message });
  beforeAll(async () => {
    const log = { debug() {}, info() {}, warn, error() {} };
    busy = await startRealtime({ joinsPerSecondOfAddress: 6 }, { log });
  });
  afterAll(() => busy.close());
  const socketTo = () => new WebSocket(`${busy.socketUrl}?vsn=1.0.0&apikey=${busy.anonKey}`);
  const bad = JSON.stringify({ topic: "other:topic", event: "phx_join", payload: {}, ref: "1" });

  it("are read more and more slowly, which delays no other socket of the address", async () => {
    const [flood, honest] = [socketTo(), socketTo()];
    await Promise.all([flood, honest].map((socket) => once(socket, "open")));
    let refused = 0;
    flood.on("message", () => refused++);
    for (let n = 0; n < 14; n++) flood.send(bad);
    await expect.poll(() => refused).toBe(11);
    let answered = 0;
    for (; answered < 20 && refused === 11; answered++) {
      honest.send(heartbeat(answered));
      await once(honest, "message");
    }
    expect(answered, "answers while the other socket rests").toBeGreaterThan(1);
    await expect.poll(() => refused).toBe(12);
    for (const socket of [flood, honest]) socket.terminate();
  });

  it("count for the address's later sockets, so that closing one in time gains nothing", async () => {
    const own = await startRealtime();
    const come = async (joins: number) => {
      const socket = new WebSocket(`${own.socketUrl}?vsn=1.0.0&apikey=${own.anonKey}`);
      await once(socket, "open");
      const refused = { count: 0 };
      socket.on("message", () => refused.count++);
      for (let n = 0; n < joins; n++) socket.send(bad);
      return { socket, refused };
    };
    const gone = await Promise.all([come(10), come(10), come(10)]);
    for (const { socket, refused } of gone) {
      await expect.poll(() => refused.count).toBe(10);
      socket.close();
      await once(socket, "close");
    }
    // Thirty are remembered: the first of these joins is answered, and the others wait for ten seconds.
    const { socket, refused } = await come(3);
    await expect.poll(() => refused.count).toBe(1);
    const calm = await come(0);
    for (let n = 0; n < 20; n++) {
      calm.socket.send(heartbeat(n));
      await once(calm.socket, "message");
    }
    expect(refused.count).toBe(1);
    await own.close();
    for (const one of [socket, calm.socket]) one.terminate();
  });

  it("are logged where a policy denied them: who, what and why", async () => {
    const visitor = await busy.connect();
    const secret = visitor.channel("staff only", { config: { private: true } });
    await expect(subscribed(secret)).rejects.toThrow("Unauthorized");
    expect(denied).toContainEqual({
      ip: "127.0.0.1",
      topic: "realtime:staff only",
      reason: expect.stringContaining("permissions to read"),
      message: "a realtime join was denied",
    });
    await busy.disconnectAll();
  });

  it("gain nothing by reconnecting: an address opens as many sockets in a second as it may join channels", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = socketTo().on("error", () => {});
        const outcome = await Promise.race([
          once(socket, "open").then(() => "open"),
          once(socket, "unexpected-response").then(([, answer]) => (answer as IncomingMessage).statusCode),
        ]);
        socket.terminate();
        return outcome;
      }),
    );
    expect(outcomes.filter((outcome) => outcome === 429).length).toBeGreaterThanOrEqual(10);
    await expect.poll(() => connects(socketTo())).toBe(true);
  });
});

describe("policies of private channels are checked on one database connection for each address", () => {
  const waiting = async () =>
    (
      await server.sql(`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%realtime.messages%'`)
    ).rows.length;
  /** Runs `ask` while the database answers nothing. */
  const oneWaits = async (ask: () => void) => {
    await server.transaction(async (tx) => {
      await tx.query("lock table realtime.messages in access exclusive mode");
      ask();
      await expect.poll(waiting).toBeGreaterThan(0);
      for (let n = 0; n < 20; n++) expect(await waiting()).toBe(1);
    });
  };

  it("however many clients join", async () => {
    await expect.poll(() => connects()).toBe(true);
    const sockets = [open(), open(), open()];
    await Promise.all(sockets.map((socket) => once(socket, "open")));
    await oneWaits(() => {
      for (const socket of sockets) {
        const payload = { config: { private: true } };
        socket.send(JSON.stringify({ topic: "realtime:private", event: "phx_join", payload, ref: "1" }));
      }
    });
    await Promise.all(sockets.map((socket) => once(socket, "message")));
    for (const socket of sockets) socket.terminate();
  });

  it("however many broadcasts come over HTTP", async () => {
    const answers: Promise<Response>[] = [];
    await oneWaits(() => {
      for (const topic of ["a", "b"])
        answers.push(broadcast([{ topic, event: "say", payload: {}, private: true }]));
    });
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(202);
  });
});

describe("broadcasts", () => {
  it("on public channels need an account, over a socket and over HTTP", async () => {
    const listener = await server.connect(person(alice));
    const visitor = await server.connect();
    const heard: unknown[] = [];
    const channel = listener
      .channel("square")
      .on("broadcast", { event: "*" }, ({ payload }) => heard.push(payload));
    await subscribed(channel);
    const quiet = await subscribed(visitor.channel("square", { config: { broadcast: { ack: true } } }));
    expect(await quiet.send({ type: "broadcast", event: "say", payload: { by: "visitor" } })).toBe("ok");
    expect((await broadcast([{ topic: "square", event: "say", payload: { by: "visitor" } }])).status).toBe(
      202,
    );
    const token = sign(person(alice));
    await broadcast([{ topic: "square", event: "say", payload: { by: "account" } }], token);
    await expect.poll(() => heard).toEqual([{ by: "account" }]);
    await server.disconnectAll();
  });

  it("check each private topic once in a call, and at most ten topics", async () => {
    const asked = async () => Number((await server.sql("select nextval('asked')")).rows[0]?.nextval);
    await server.sql(`create sequence asked;
      create function count_asked() returns trigger language plpgsql security definer as
        $$ begin perform nextval('asked'); return null; end $$;
      create trigger count_asked before insert on realtime.messages for each statement execute function count_asked()`);
    const said = (topic: string) => ({ topic, event: "say", payload: {}, private: true });
    expect((await broadcast(Array.from({ length: 1000 }, () => said("a")))).status).toBe(202);
    expect(await asked()).toBeLessThanOrEqual(4);
    const many = await broadcast(Array.from({ length: 11 }, (_, n) => said(`t${n}`)));
    expect(many.status).toBe(422);
  });

  it("have topics that a policy can check, whatever the content type", async () => {
    const answer = await fetch(`${server.url}/realtime/v1/api/broadcast`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.anonKey}`, "content-type": "application/octet-stream" },
      body: String.raw`{"messages":[{"topic":"a\u0000","event":"say","payload":{},"private":true}]}`,
    });
    expect(answer.status).toBe(422);
  });

  it("are bounded in size", async () => {
    const answer = await broadcast([{ topic: "square", event: "say", payload: "x".repeat(40_001) }]);
    expect(answer.status).toBe(413);
  });
});

async function connects(socket = open()): Promise<boolean> {
  const connected = await once(socket, "open").then(
    () => true,
    () => false,
  );
  socket.terminate();
  return connected;
}
