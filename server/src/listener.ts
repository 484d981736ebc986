// The port: opened for this server alone, quick to accept a crowd, and closed once requests in progress are answered.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { AnswersUnderWay, READING, type ReadingLimits } from "./answers-under-way.ts";
import { createClientAddress, createPeerAddress } from "./gateway/requests/client-address.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import type { ServerConfig } from "./platform/config.ts";
import type { Log } from "./platform/log.ts";
import { createRefusals, type Refusals } from "./platform/refusals.ts";
import { createShares } from "./platform/shares.ts";
import { StartError } from "./platform/start-error.ts";

/** Connections the system queues while we are busy. Node's default of 511 reset some in a rush of thousands. */
const BACKLOG = 4096;

/** How long a request may take to arrive completely; it holds memory until then. */
const TIMEOUTS = { requestTimeout: 120_000, headersTimeout: 20_000 };

/** How long a stopping server waits for requests in progress. */
const DRAINS_WITHIN_MS = 10_000;

/**
 * File descriptors kept free of connections, for the database and for reading files. A library whose first load finds none
 * left stays broken for the life of the process, because Node caches the failed module.
 */
const SPARE_FILES = 128;
const FEWEST_CONNECTIONS = 8;

/** A browser opens six sockets, and a crowd shares an address. */
const SOCKETS_PER_ADDRESS = 2000;

/**
 * How long a proxy's idle connection stays open. It must be longer than proxies keep theirs (nginx and AWS 60 s, Caddy 120),
 * otherwise a request meets a connection that is just being closed, and its visitor gets a 502. Visitors' own connections
 * have Node's 5 s.
 */
const PROXY_IDLE_MS = 125_000;

type Listening = Pick<ServerConfig, "host" | "port" | "trustedProxies" | "proxyHeader"> & {
  readonly limits: Pick<ServerConfig["limits"], "httpSocketsPerAddress">;
  readonly reading?: Partial<ReadingLimits>;
};

/** Opens the port; until serve() is called, requests are answered 503. Throws StartError when the port is taken. */
export async function listen(
  { host, port: wanted, trustedProxies, proxyHeader, limits, reading }: Listening,
  log: Log,
) {
  const refusals = createRefusals(log);
  let inner: Server | undefined;
  let draining = false;
  const readerOf = createReaderAddress(trustedProxies, proxyHeader);
  const underWay = new AnswersUnderWay({ ...READING, ...reading }, readerOf, (socket, why) =>
    refusals.warn(why, { ip: socket.remoteAddress }, why),
  );
  const serve = oneAtATime(
    (request, response) => {
      if (!inner || draining) return notServing(response, draining);
      underWay.add(request, response);
      inner.emit("request", request, response);
    },
    (socket) => underWay.answered(socket),
    (socket) =>
      refusals.warn("ahead", { ip: socket.remoteAddress }, "a socket sent too many requests ahead: closed"),
  );
  const http = createServer(
    trustedProxies.length > 0 ? { ...TIMEOUTS, keepAliveTimeout: PROXY_IDLE_MS } : TIMEOUTS,
    serve,
  );
  http.on("upgrade", (request, socket, head) => {
    if (inner && !draining) inner.emit("upgrade", request, socket, head);
    else socket.destroy();
  });
  // A second answer would end up inside one that has begun.
  http.on("clientError", (error, socket: Socket) => {
    if (underWay.hasBegun(socket) || !inner?.emit("clientError", error, socket)) socket.destroy(error);
  });
  const connections = followConnections(http, { trustedProxies, limits }, refusals);
  const port = await open(http, host, wanted);
  return {
    /** Chosen by the system when the configuration says 0. */
    port,
    serve(gateway: { server: Server }) {
      inner = gateway.server;
    },
    /** Finishes requests in progress and answers new ones 503; those that take too long are cut off. */
    async close() {
      draining = true;
      await underWay.ended(DRAINS_WITHIN_MS);
      underWay.stop();
      const closed = close(http);
      // Node's closeAllConnections() leaves WebSockets open, and a stop would wait for them.
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

/** Refuses a request while the server is starting or stopping. */
function notServing(response: ServerResponse, isStopping: boolean): void {
  const headers = { "content-type": "text/plain; charset=utf-8", "retry-after": "1" };
  response.writeHead(503, isStopping ? { ...headers, connection: "close" } : headers);
  response.end(isStopping ? "Stopping" : "Starting");
}

/** The address of an answer's reader, also behind a proxy; undefined for this machine while no proxy is configured. */
function createReaderAddress(trusted: readonly string[], header: ServerConfig["proxyHeader"]) {
  const peerAddress = createPeerAddress(trusted);
  const clientAddress = createClientAddress(trusted, header);
  return (request: IncomingMessage): string | undefined =>
    peerAddress(request.socket) ?? (trusted.length > 0 ? clientAddress(request) : undefined);
}

/** Tracks open connections; those beyond this machine's limit, or their address's, are closed at once. */
function followConnections(
  http: Server,
  { trustedProxies, limits }: Pick<Listening, "trustedProxies" | "limits">,
  refusals: Refusals,
): ReadonlySet<Socket> {
  const peerAddress = createPeerAddress(trustedProxies);
  const shares = createShares(limits.httpSocketsPerAddress ?? SOCKETS_PER_ADDRESS);
  const connections = new Set<Socket>();
  const noteRefused = (ip: string | undefined, why: string) =>
    refusals.warn(why, { ip, connections: connections.size }, `a socket was refused: ${why}`);
  http.maxConnections = Math.max(FEWEST_CONNECTIONS, openFilesAllowed() - SPARE_FILES);
  http.on("drop", (dropped) =>
    noteRefused(dropped?.remoteAddress, "the process has no file descriptors left"),
  );
  http.on("connection", (socket) => {
    const peer = peerAddress(socket);
    const release = peer === undefined ? () => {} : shares.of(peer).hold(1);
    if (!release) {
      noteRefused(socket.remoteAddress, "its address has reached its limit");
      socket.destroy();
      return;
    }
    connections.add(socket);
    socket.once("close", () => {
      connections.delete(socket);
      release();
    });
  });
  return connections;
}

/** Returns the port it listens on. Throws StartError. */
function open(server: Server, host: string, port: number): Promise<number> {
  return new Promise((settle, reject) => {
    server.once("error", ({ code, message }: NodeJS.ErrnoException) =>
      reject(
        new StartError(
          code === "EADDRINUSE"
            ? `Port ${port} is in use by another program. Stop it, or choose another: PORT=3001 npm start`
            : `Cannot listen on ${host}:${port}: ${message}`,
        ),
      ),
    );
    server.listen({ host, port, backlog: BACKLOG }, () => settle((server.address() as AddressInfo).port));
  });
}

/** The number of files this process may have open. */
function openFilesAllowed(): number {
  Object.assign(process.report, { excludeNetwork: true }); // otherwise it resolves the name of every address it knows
  const { userLimits } = process.report.getReport() as unknown as Report;
  const { soft } = userLimits.open_files;
  return soft === "unlimited" ? Infinity : soft;
}

/** The part we read of Node's diagnostic report, which knows the limits on every system. */
interface Report {
  readonly userLimits: { readonly open_files: { readonly soft: number | "unlimited" } };
}

function close(server: Server): Promise<void> {
  return new Promise((settle) => server.close(() => settle()));
}
