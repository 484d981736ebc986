// The port, open before there is anything to say.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Config } from "./platform/config.ts";
import { StartError } from "./platform/start-error.ts";

/** Connections the system keeps for us while we are busy. Node's own 511 broke some off in a rush of thousands. */
const BACKLOG = 4096;

/** Opens the port before anything answers on it, so that a busy port is known at once and nothing is refused at the end. */
export async function listen(config: Config) {
  let inner: Server | undefined;
  const outer = createServer((request, response) => {
    if (inner) inner.emit("request", request, response);
    else response.writeHead(503, { "retry-after": "1" }).end("Starting");
  });
  outer.on("upgrade", (request, socket, head) => {
    if (inner) inner.emit("upgrade", request, socket, head);
    else socket.destroy();
  });
  await new Promise<void>((ready, fail) => {
    outer.once("error", (error: NodeJS.ErrnoException) =>
      fail(
        new StartError(
          error.code === "EADDRINUSE"
            ? `Port ${config.port} is in use by another program. Stop it, or choose another: PORT=3001 npm start`
            : `Cannot listen on ${config.host}:${config.port}: ${error.message}`,
        ),
      ),
    );
    outer.listen({ port: config.port, host: config.host, backlog: BACKLOG }, ready);
  });
  return {
    /** The one it got, when the configuration leaves it open (0). */
    port: (outer.address() as AddressInfo).port,
    serve(gateway: { server: Server }) {
      inner = gateway.server;
    },
    close: () =>
      new Promise<void>((done) => {
        outer.close(() => done());
        outer.closeAllConnections();
      }),
  };
}
