// Every socket of this process: accepts upgrade requests, holds each address to its share, and closes all sockets when
// the server stops.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { createRefusals, type Refusals } from "../../platform/refusals.ts";
import { AccessError } from "../access.ts";
import type { AddressOf } from "../limits/addresses.ts";
import type { Channel, ChannelDeps } from "../channels/channel.ts";
import type { Limits } from "../limits/limits.ts";
import { Socket } from "./socket.ts";

/** How often unread bytes are added up. */
const LOOKS_EVERY_MS = 1_000;

export class Sockets {
  readonly #deps: ChannelDeps;
  readonly #limits: Limits;
  readonly #addressOf: AddressOf;
  readonly #server: WebSocketServer;
  readonly #refusals: Refusals;
  readonly #open = new Set<Socket>();
  readonly #looking: NodeJS.Timeout;

  constructor(deps: ChannelDeps, limits: Limits, addressOf: AddressOf) {
    this.#deps = deps;
    this.#limits = limits;
    this.#addressOf = addressOf;
    this.#refusals = createRefusals(deps.log);
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: limits.payload,
      perMessageDeflate: false,
    });
    this.#looking = setInterval(() => this.#shorten(), LOOKS_EVERY_MS).unref();
  }

  /** Answers the upgrade: 400, 401 or 429, or a socket that serves until it closes. */
  upgrade(request: IncomingMessage, connection: Duplex, head: Buffer, ip: string): void {
    connection.on("error", () => connection.destroy()); // the peer may go away before the upgrade is done
    this.#answer(request, connection, head, ip).catch((error: unknown) => {
      this.#deps.log.error({ err: error, ip }, "realtime upgrade failed");
      refuse(connection, "500 Internal Server Error");
    });
  }

  /** Every channel of every socket, including those still being checked. */
  channels(): Channel[] {
    return [...this.#open].flatMap((socket) => socket.channels());
  }

  /** Accepts no more sockets and asks every client to leave. */
  close(): void {
    clearInterval(this.#looking);
    for (const socket of this.#open) socket.close();
    this.#server.close();
  }

  /** Cuts off those that have not left. */
  terminate(): void {
    for (const ws of this.#server.clients) ws.terminate();
  }

  /** If the sockets of an address leave too much unread, cuts off the worst until the rest fit. */
  #shorten(): void {
    const unread = Map.groupBy(
      [...this.#open].filter((socket) => socket.unread > 0),
      ({ ip }) => ip,
    );
    for (const [ip, sockets] of unread) {
      let left = sockets.reduce((sum, socket) => sum + socket.unread, 0);
      for (const socket of sockets.toSorted((a, b) => b.unread - a.unread)) {
        if (left <= this.#limits.unreadPerAddress) break;
        this.#refusals.warn(
          "unread",
          { ip },
          "a realtime socket was closed: its address leaves too much unread",
        );
        left -= socket.unread;
        socket.cutOff();
      }
    }
  }

  async #answer(request: IncomingMessage, connection: Duplex, head: Buffer, ip: string): Promise<void> {
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    const version = searchParams.get("vsn") ?? "1.0.0";
    const apiKey = searchParams.get("apikey") ?? String(request.headers["x-api-key"] ?? "");
    if (version !== "1.0.0" && version !== "2.0.0") return refuse(connection, "400 Bad Request");
    const address = this.#addressOf(ip);
    if (!address.mayOpen()) {
      this.#refusals.warn(
        "upgrades",
        { ip },
        "a realtime socket was refused: its address opens too many a second",
      );
      return refuse(connection, "429 Too Many Requests");
    }
    try {
      await this.#deps.access.verifyKey(apiKey);
    } catch (error) {
      if (error instanceof AccessError) return refuse(connection, "401 Unauthorized");
      throw error;
    }
    const release = this.#open.size < this.#limits.sockets ? address.sockets.hold(1) : undefined;
    if (!release) {
      const sockets = this.#open.size;
      this.#refusals.warn("sockets", { ip, sockets }, "a realtime socket was refused: too many");
      return refuse(connection, "429 Too Many Requests");
    }
    connection.once("close", release); // even if the handshake fails
    this.#server.handleUpgrade(request, connection, head, (ws) => {
      const [limits, refusals, { log }] = [this.#limits, this.#refusals, this.#deps];
      const options = { version, apiKey, address, limits, refusals, log } as const;
      const socket = new Socket(ws, connection, this.#deps, options);
      this.#open.add(socket);
      ws.once("close", () => this.#open.delete(socket));
    });
  }
}

/** Nothing else the client sends is read. Without destroy, its file descriptor would stay open for good. */
function refuse(connection: Duplex, status: string) {
  connection.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
    connection.destroy(),
  );
}
