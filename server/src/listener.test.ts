// What one socket, and all sockets of one address, may demand of the port.
import { createServer, type RequestListener } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { ReadingLimits } from "./answers-under-way.ts";
import { listen } from "./listener.ts";
import type { Log } from "./platform/log.ts";

const get = (path: string | number) => `GET /${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const LARGE = Buffer.alloc(32 * 1024 * 1024);

const sockets: Socket[] = [];
let server: Awaited<ReturnType<typeof listen>>;
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

const lines: string[] = [];
const log: Log = { debug() {}, info() {}, warn: (_, message) => lines.push(message), error() {} };

async function start(
  serve: RequestListener,
  trustedProxies: string[] = [],
  httpSocketsPerAddress?: number,
  reading?: Partial<ReadingLimits>,
  proxyHeader: "x-forwarded-for" | "forwarded" = "x-forwarded-for",
) {
  lines.length = 0;
  const limits = { httpSocketsPerAddress };
  const where = { host: "127.0.0.1", port: 0, trustedProxies, proxyHeader };
  server = await listen({ ...where, limits, reading }, log);
  server.serve({ server: createServer(serve) });
}

function open(): Socket {
  const socket = connect(server.port, "127.0.0.1").on("error", () => {});
  sockets.push(socket);
  return socket;
}

const closed = (socket: Socket) => new Promise<void>((done) => socket.once("close", () => done()));

/** Everything received by the time it contains `last`, or the socket is closed. */
function received(socket: Socket, last: string): Promise<string> {
  const parts: Buffer[] = [];
  const text = () => Buffer.concat(parts).toString("latin1");
  return new Promise((done) => {
    socket.on("data", (part) => {
      parts.push(part);
      if (Buffer.concat(parts.slice(-2)).includes(last)) done(text());
    });
    socket.once("close", () => done(text()));
  });
}

async function isAnswered(socket = open()): Promise<boolean> {
  socket.write(get("page"));
  return (await received(socket, "the page")).includes("the page");
}

describe("requests that one socket sends ahead", () => {
  it("are served one at a time, in order", async () => {
    let [underWay, most] = [0, 0];
    await start((request, response) => {
      most = Math.max(most, ++underWay);
      setImmediate(() => {
        underWay--;
        response.end(`answer to ${request.url}.`);
      });
    });
    const socket = open();
    socket.write([1, 2, 3, 4].map(get).join(""));
    const answers = await received(socket, "answer to /4.");
    expect(answers.match(/answer to \/\d/g)).toEqual([1, 2, 3, 4].map((n) => `answer to /${n}`));
    expect(most).toBe(1);
  });

  it("wait until the previous answer has been read", async () => {
    const served: string[] = [];
    await start((request, response) => {
      served.push(request.url!);
      response.end(request.url === "/page" ? "the page" : request.url === "/3" ? "the last" : LARGE);
    });
    const slow = open().pause();
    slow.write([1, 2, 3].map(get).join(""));
    await expect.poll(() => served).toEqual(["/1"]);
    expect(await isAnswered()).toBe(true);
    expect(served).toEqual(["/1", "/page"]);
    expect(await received(slow.resume(), "the last")).toContain("the last");
    expect(served).toEqual(["/1", "/page", "/2", "/3"]);
  });

  it("close the socket when there are too many, without delaying others", async () => {
    let served = 0;
    await start((request, response) => {
      if (request.url === "/flood") served++;
      response.end("the page");
    });
    const flood = open();
    const end = closed(flood);
    flood.resume().write(get("flood").repeat(3000));
    await end;
    expect(served).toBe(1);
    expect(lines).toEqual(["a socket sent too many requests ahead: closed"]);
    expect(await isAnswered()).toBe(true);
  });
});

describe("an answer that nobody reads", () => {
  it("closes its socket; one that is read slowly, or whose request is still arriving, does not", async () => {
    const ended: [string, boolean][] = [];
    const serve: RequestListener = (request, response) => {
      response.once("close", () => ended.push([request.url!, response.writableFinished]));
      if (request.method === "GET") response.end(LARGE);
      else request.resume().once("end", () => response.end("taken"));
    };
    await start(serve, [], undefined, { slowest: 1, patienceMs: 3_000 });
    open().pause().write(get("unread"));
    const sending = open().resume();
    sending.write("POST /sent HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n");
    const drops = setInterval(() => sending.write("x"), 1_200);
    sending.once("close", () => clearInterval(drops));
    const slow = open();
    slow.write(get("slowly"));
    let bytes = 0;
    slow.on("data", (part) => {
      bytes += part.length;
      slow.pause();
      setImmediate(() => slow.resume());
    });
    await expect
      .poll(() => ended.toSorted(), { timeout: 20_000 })
      .toEqual([
        ["/sent", true],
        ["/slowly", true],
        ["/unread", false],
      ]);
    expect(bytes).toBeGreaterThan(LARGE.length / 2);
    expect(lines).toEqual(["closed a socket that read its answer too slowly"]);
  });

  it("closes its socket; one that is still being made, or whose request waits to be read, does not", async () => {
    const stalled = Promise.withResolvers<void>();
    const serve: RequestListener = async (request, response) => {
      if (request.url === "/unread") {
        response.once("close", stalled.resolve).end(LARGE);
      } else {
        await stalled.promise;
        request.resume().once("end", () => response.end("the page"));
      }
    };
    await start(serve, [], undefined, { slowest: 1, patienceMs: 200, lookEveryMs: 50 });
    const made = isAnswered();
    const sent = open();
    sent.write(`POST /sent HTTP/1.1\r\nHost: x\r\nContent-Length: ${LARGE.length}\r\n\r\n`);
    sent.write(LARGE);
    const taken = received(sent, "the page");
    open().pause().write(get("unread"));
    expect(await made).toBe(true);
    expect(await taken).toContain("the page");
    expect(lines).toEqual(["closed a socket that read its answer too slowly"]);
  });
});

describe("an answer that is read in drops", () => {
  const ended: [string, boolean][] = [];
  const serve: RequestListener = (request, response) => {
    if (request.url === "/made-slowly") {
      response.write("the first half, ");
      return void setTimeout(() => response.end("the second"), 1_000);
    }
    response.once("close", () => ended.push([request.url!, response.writableFinished]));
    response.end(LARGE);
  };
  /** Takes 64 KB every `everyMs`, after what the system's buffers hold. */
  const drip = (path: string, everyMs: number) => {
    const socket = open();
    socket.write(get(path));
    socket.on("data", () => {
      socket.pause();
      setTimeout(() => socket.resume(), everyMs);
    });
  };

  it("is dropped; one that is read at a fair rate, or is still being produced, is not", async () => {
    ended.length = 0;
    await start(serve, [], undefined, { slowest: 2_000_000, patienceMs: 400, lookEveryMs: 50 });
    const slowlyMade = open();
    slowlyMade.write(get("made-slowly"));
    const halves = received(slowlyMade, "the second");
    drip("drops", 200);
    open().resume().write(get("fairly"));
    await expect.poll(() => ended).toContainEqual(["/drops", false]);
    await expect.poll(() => ended).toContainEqual(["/fairly", true]);
    expect(await halves).toContain("the second");
    expect(lines).toEqual(["closed a socket that read its answer too slowly"]);
  });

  it("counts toward its address: beyond the unread limit, the slowest is closed", async () => {
    ended.length = 0;
    const unreadPerAddress = 1.5 * LARGE.length;
    await start(serve, ["10.0.0.1"], undefined, { unreadPerAddress, lookEveryMs: 1_000 });
    drip("quick", 5);
    drip("slow", 2_000);
    await expect.poll(() => ended).toContainEqual(["/slow", false]);
    expect(lines).toEqual(["closed a socket whose address left too much unread"]);
    expect(ended).not.toContainEqual(["/quick", false]);
  });
});

describe("unread answers behind a trusted proxy", () => {
  const ended: [string, boolean][] = [];
  const serve: RequestListener = (request, response) => {
    response.once("close", () => ended.push([request.url!, response.writableFinished]));
    response.end(LARGE);
  };
  const ask = (path: string, headers: string) => {
    open().pause().write(`GET /${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`);
  };

  it.each([
    ["X-Forwarded-For", "x-forwarded-for", (client: string) => `X-Forwarded-For: 192.0.2.99, ${client}`],
    ["Forwarded", "forwarded", (client: string) => `Forwarded: for=192.0.2.99, for="${client}"`],
  ] as const)("count for the client that %s names, not for the proxy", async (_, proxyHeader, header) => {
    ended.length = 0;
    // One answer per client fits, even with what the system's buffers take; two do not.
    const reading = { unreadPerAddress: 1.2 * LARGE.length, lookEveryMs: 500 };
    await start(serve, ["127.0.0.1"], undefined, reading, proxyHeader);
    for (const n of [1, 2, 3]) ask(`alone-${n}`, header(`203.0.113.${n}`));
    ask("greedy-1", header("198.51.100.7"));
    ask("greedy-2", header("198.51.100.7"));
    await expect.poll(() => ended).toHaveLength(1);
    expect(ended[0]).toEqual([expect.stringContaining("/greedy-"), false]);
    expect(lines).toEqual(["closed a socket whose address left too much unread"]);
  });

  it("are bounded for all clients together: those that leave the most are closed, the others are spared", async () => {
    ended.length = 0;
    // Each address is within its own limit, and all are beyond theirs even when only the spared answers are left.
    const unreadPerAddress = 4 * LARGE.length;
    const inAll = { unread: LARGE.length, unreadSpared: 1.5 * LARGE.length };
    await start(serve, ["127.0.0.1"], undefined, { unreadPerAddress, ...inAll, lookEveryMs: 500 });
    const from = (client: string) => `X-Forwarded-For: ${client}`;
    for (const n of [1, 2]) ask(`alone-${n}`, from(`203.0.113.${n}`));
    for (const n of [1, 2, 3]) for (const greedy of [7, 8]) ask(`greedy-${n}`, from(`198.51.100.${greedy}`));
    await expect.poll(() => ended).toHaveLength(4);
    expect(ended).toEqual(Array.from({ length: 4 }, () => [expect.stringContaining("/greedy-"), false]));
    expect(new Set(lines)).toEqual(new Set(["closed a socket because too much is left unread"]));
  });
});

describe("an unreadable request", () => {
  const refusing = async (serve: RequestListener) => {
    await start(serve);
    const inner = createServer(serve);
    inner.on("clientError", (_error, socket) => socket.end("HTTP/1.1 405 Method Not Allowed\r\n\r\n"));
    server.serve({ server: inner });
  };

  it("is refused by the server behind the port", async () => {
    await refusing((_, response) => response.end("the page"));
    const socket = open();
    socket.write("FOO /page HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await received(socket, "405")).toContain("HTTP/1.1 405");
  });

  it("ends the connection if an answer has begun", async () => {
    await refusing((_, response) => void response.write("half"));
    const socket = open();
    socket.write(get("page"));
    await received(socket, "half");
    const rest = received(socket, "405");
    socket.write("FOO /page HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await rest).toBe("");
  });
});

describe("an idle connection", () => {
  const answer = async (trustedProxies: string[]) => {
    await start((_, response) => response.end("the page"), trustedProxies);
    return fetch(`http://127.0.0.1:${server.port}/`);
  };

  it("stays open longer than a proxy keeps it, where proxies are trusted", async () => {
    expect((await answer(["127.0.0.1"])).headers.get("keep-alive")).toBe("timeout=125");
  });

  it("is closed after five seconds otherwise", async () => {
    expect((await answer([])).headers.get("keep-alive")).toBe("timeout=5");
  });
});

describe("sockets of one address", () => {
  const page: RequestListener = (_, response) => response.end("the page");

  it("are closed beyond its share, until others have ended", async () => {
    await start(page, ["10.0.0.1"], 3);
    const [first] = [open(), open(), open()];
    for (const socket of sockets.slice(0, 3)) expect(await isAnswered(socket)).toBe(true);
    expect([await isAnswered(), await isAnswered()]).toEqual([false, false]);
    expect(lines).toEqual(["a socket was refused: its address has reached its limit"]); // one line a second
    first.destroy();
    await expect.poll(() => isAnswered()).toBe(true);
  });

  it.each([
    ["a trusted proxy", ["127.0.0.1"]],
    ["this machine while no proxy is named", []],
  ])("are unlimited for %s", async (_who, trusted) => {
    await start(page, trusted, 3);
    for (let n = 0; n < 5; n++) expect(await isAnswered()).toBe(true);
  });
});
