// The port: opened, known to be ours, quick to take in a crowd, and closed without cutting anybody off.
import { createServer, type Server } from "node:http";
import {
  type AddressInfo,
  createServer as createTcpServer,
  type ListenOptions,
  type Server as TcpServer,
} from "node:net";
import type { Config } from "./platform/config.ts";
import { StartError } from "./platform/start-error.ts";

/** Connections the system keeps for us while we are busy. Node's own 511 broke some off in a rush of thousands. */
const BACKLOG = 4096;

/**
 * A listening socket gives one connection a turn of the event loop, and while orders are decided turns are long: in a rush
 * buyers waited outside instead of in line. Only Linux shares a port among sockets in fair parts.
 */
const LISTENERS = process.platform === "linux" ? 8 : 1;

/** How long a request may take to arrive whole; it holds memory until then. */
const ARRIVES_WITHIN_MS = 120_000;
const HEADERS_WITHIN_MS = 20_000;

/** How long requests under way are waited for when the server stops. */
const DRAINS_WITHIN_MS = 10_000;

/**
 * Files kept free of connections: for the database and for what is read. A library whose first load found none left would stay
 * broken for as long as the process lives, since Node keeps a failed module.
 */
const SPARE_FILES = 128;
const FEWEST_CONNECTIONS = 8;

/** Opens the port before anything answers on it. Throws StartError when it is somebody else's. */
export async function listen({ host, port: wanted }: Pick<Config, "host" | "port">) {
  let inner: Server | undefined;
  let draining = false;
  let underWay = 0;
  let drained = () => {};
  const timeouts = { requestTimeout: ARRIVES_WITHIN_MS, headersTimeout: HEADERS_WITHIN_MS };
  const http = createServer(timeouts, (request, response) => {
    if (!inner || draining) {
      response.writeHead(503, { "retry-after": "1", ...(draining ? { connection: "close" } : {}) });
      response.end(draining ? "Stopping" : "Starting");
      return;
    }
    underWay++;
    response.once("close", () => {
      if (--underWay === 0) drained();
    });
    inner.emit("request", request, response);
  });
  http.on("upgrade", (request, socket, head) => {
    if (inner && !draining) inner.emit("upgrade", request, socket, head);
    else socket.destroy();
  });
  const most = Math.max(FEWEST_CONNECTIONS, openFilesAllowed() - SPARE_FILES);
  let connections = 0;
  http.on("connection", (socket) => {
    connections++;
    socket.once("close", () => connections--);
    if (connections > most) socket.destroy();
  });
  const others = Array.from({ length: LISTENERS - 1 }, () =>
    createTcpServer((socket) => http.emit("connection", socket)),
  );
  let port = wanted;
  try {
    if (others.length > 0) {
      // A shared port could be shared with a second festival: alone, it is refused.
      const alone = createTcpServer();
      port = await open(alone, { host, port });
      await close(alone);
    }
    for (const server of [http, ...others]) {
      port = await open(server, { host, port, backlog: BACKLOG, reusePort: others.length > 0 });
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StartError(
      code === "EADDRINUSE"
        ? `Port ${port} is in use by another program. Stop it, or choose another: PORT=3001 npm start`
        : `Cannot listen on ${host}:${port}: ${message}`,
    );
  }
  return {
    /** The one it got, when the configuration leaves it open (0). */
    port,
    serve(gateway: { server: Server }) {
      inner = gateway.server;
    },
    /** Answers what is under way, and 503 to what comes meanwhile; what takes too long is cut off. */
    async close() {
      draining = true;
      if (underWay > 0) {
        await new Promise<void>((done) => {
          drained = done;
          setTimeout(done, DRAINS_WITHIN_MS).unref();
        });
      }
      const closed = [http, ...others].map(close);
      http.closeAllConnections();
      await Promise.all(closed);
    },
  };
}

/** How many files this process may have open. */
function openFilesAllowed(): number {
  Object.assign(process.report, { excludeNetwork: true }); // or it looks up the name of every address it knows
  const { userLimits } = process.report.getReport() as unknown as Report;
  const { soft } = userLimits.open_files;
  return soft === "unlimited" ? Infinity : soft;
}

/** What we read of Node's report on itself, the one place that knows the limits on every system. */
interface Report {
  readonly userLimits: { readonly open_files: { readonly soft: number | "unlimited" } };
}

/** The port it listens on. */
function open(server: TcpServer, options: ListenOptions): Promise<number> {
  return new Promise((settle, reject) => {
    server.once("error", reject);
    server.listen(options, () => settle((server.address() as AddressInfo).port));
  });
}

function close(server: TcpServer): Promise<void> {
  return new Promise((settle) => server.close(() => settle()));
}
