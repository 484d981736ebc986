// The realtime service: Phoenix channels over WebSockets and broadcasts over HTTP, what realtime-js asks under
// /realtime/v1. Hides protocol, rooms, presence and the write-ahead log behind handleUpgrade and fetch.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { Hono } from "hono";
import { WebSocketServer } from "ws";
import type { Clock } from "../platform/clock.ts";
import type { Service } from "../platform/context.ts";
import { ServiceError } from "../platform/errors.ts";
import type { Tokens } from "../platform/jwt.ts";
import type { Log } from "../platform/log.ts";
import type { Database } from "../postgres/database.ts";
import { listenTo } from "../postgres/listen.ts";
import { createTurns } from "../postgres/turns.ts";
import { AccessError, createAccess, type Ended } from "./access.ts";
import { createChanges } from "./changes/index.ts";
import { createLocalFanout } from "./fanout.ts";
import { createPresence } from "./presence.ts";
import { createRates } from "./rates.ts";
import { broadcastRoutes, type RealtimeEnv } from "./routes.ts";
import { isLiveSession } from "./queries.ts";
import { createShares } from "./shares.ts";
import { type ServedSocket, serveSocket, type SocketLimits } from "./socket.ts";

export interface RealtimeDeps {
  readonly database: Database;
  /** Connection string of a role that may replicate; used from the first subscription to changes to the last. */
  readonly replicationUrl: string;
  readonly tokens: Tokens;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<Limits>;
  /** Whether visitors without an account may speak on public channels; they may when left out. */
  readonly anonymousBroadcast?: boolean;
}

interface Limits extends SocketLimits {
  /** Bytes of one message. */
  readonly payload: number;
  /** Sockets of one address, and of all. */
  readonly socketsPerAddress: number;
  readonly sockets: number;
  /** Channels of one address, and their requests for changes: see weightOf. */
  readonly joinedPerAddress: number;
}

export interface Realtime extends Service {
  /** Takes over a request for /realtime/v1/websocket; answers 401 to an unknown API key. */
  handleUpgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    context: { readonly ip: string },
  ): void;
  /** Closes every socket and the replication connection. */
  close(): Promise<void>;
}

const LIMITS: Limits = {
  channels: 100,
  joinsPerSecond: 50,
  messagesPerSecond: 100,
  messagesPerSecondOfAddress: 2000, // a crowd behind one address
  socketsPerAddress: 300,
  joinedPerAddress: 2000,
  sockets: 20_000,
  buffered: 1024 * 1024,
  silence: 60_000, // clients send a heartbeat every 25 s
  payload: 256 * 1024,
};

/** Joins that ask the database at once: sign-in and orders ask it on the same connections. */
const CHECKS = {
  connections: 2,
  perAddress: 1,
  waitMs: 15_000,
  waiting: { perAddress: 2000, inAll: 20_000 },
};

export function createRealtime(deps: RealtimeDeps): Realtime {
  const { database, log } = deps;
  const limits = { ...LIMITS, ...deps.limits };
  const fanout = createLocalFanout();
  const access = createAccess(deps.tokens, deps.clock, (claims) => isLiveSession(database, claims));
  const changes = createChanges({ database, replicationUrl: deps.replicationUrl, log });
  const speech = { anonymous: deps.anonymousBroadcast ?? true, mostBytes: limits.payload };
  const channelDeps = {
    database,
    access,
    fanout,
    presence: createPresence(),
    changes,
    anonymousBroadcast: speech.anonymous,
    log,
  };
  const mayAddressSend = createRates(limits.messagesPerSecondOfAddress);
  const joined = createShares(limits.joinedPerAddress);
  const turns = createTurns(CHECKS);
  const inTurn = async <T>(ip: string, work: () => Promise<T>): Promise<T> => {
    let endTurn: () => void;
    try {
      endTurn = await turns.take(ip);
    } catch (cause) {
      throw new AccessError("JoinRateLimitReached: Too many joins wait to be checked", { cause });
    }
    try {
      return await work();
    } finally {
      endTurn();
    }
  };
  const socketsOf = new Map<string, number>();
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: limits.payload,
    perMessageDeflate: false,
  });
  const open = new Set<ServedSocket>();
  const channels = () => [...open].flatMap((served) => served.channels());
  const endings = listenTo(
    "session_ended",
    deps.replicationUrl,
    {
      onNotice(payload) {
        const ended = JSON.parse(payload) as Ended;
        for (const channel of channels()) channel.endFor(ended);
      },
      onConnected() {
        for (const channel of channels()) {
          channel
            .recheck()
            .catch((error: unknown) => log.error({ err: error }, "a channel could not be checked again"));
        }
      },
    },
    log,
  );

  const app = new Hono<RealtimeEnv>();
  app.route("/", broadcastRoutes(database, fanout, speech, mayAddressSend));
  app.notFound((c) => c.json({ message: "Not found" }, 404));
  app.onError((error, c) => {
    if (error instanceof ServiceError) return renderError(error);
    log.error({ err: error, requestId: c.env.context.requestId }, "realtime request failed");
    return c.json({ message: "Internal server error" }, 500);
  });

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, ip: string) {
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    const version = searchParams.get("vsn") ?? "1.0.0";
    const apiKey = searchParams.get("apikey") ?? String(request.headers["x-api-key"] ?? "");
    if (version !== "1.0.0" && version !== "2.0.0") return refuse(socket, "400 Bad Request");
    try {
      await access.verify(apiKey);
    } catch (error) {
      if (error instanceof AccessError) return refuse(socket, "401 Unauthorized");
      throw error;
    }
    const own = socketsOf.get(ip) ?? 0;
    if (own >= limits.socketsPerAddress || open.size >= limits.sockets) {
      return refuse(socket, "429 Too Many Requests");
    }
    server.handleUpgrade(request, socket, head, (ws) => {
      const send = () => mayAddressSend(ip);
      const served = serveSocket(ws, socket, channelDeps, {
        ...{ version, apiKey, limits, ip, log },
        mayAddressSend: send,
        inTurn: (work) => inTurn(ip, work),
        joined: joined.of(ip),
      });
      open.add(served);
      socketsOf.set(ip, (socketsOf.get(ip) ?? 0) + 1);
      ws.once("close", () => {
        open.delete(served);
        const left = socketsOf.get(ip)! - 1;
        if (left > 0) socketsOf.set(ip, left);
        else socketsOf.delete(ip);
      });
    });
  }

  return {
    fetch: async (request, context) => app.fetch(request, { context }),
    renderError,

    handleUpgrade(request, socket, head, { ip }) {
      socket.on("error", () => socket.destroy()); // a peer that goes away before the upgrade is done
      upgrade(request, socket, head, ip).catch((error: unknown) => {
        log.error({ err: error, ip }, "realtime upgrade failed");
        refuse(socket, "500 Internal Server Error");
      });
    },

    async close() {
      for (const served of open) served.close();
      server.close();
      await Promise.all([changes.close(), endings.close()]);
      for (const ws of server.clients) ws.terminate();
    },
  };
}

const renderError = (error: ServiceError) =>
  Response.json({ message: error.message }, { status: error.status });

function refuse(socket: Duplex, status: string) {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
