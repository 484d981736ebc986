// The way out to a client: frames of one moment leave in one packet, and a client that reads too slowly is cut off.
import type { Duplex } from "node:stream";
import { WebSocket } from "ws";
import type { Log } from "../platform/log.ts";
import type { ChangePayload } from "./changes/index.ts";
import type { BroadcastFrames } from "./fanout.ts";
import { encodeChange, encodeText, type Message, type Version } from "./protocol.ts";

const PACKET = 64 * 1024; // bytes held back at most

export interface SocketOutletOptions {
  readonly version: Version;
  /** Bytes that may wait for a slow reader. */
  readonly buffered: number;
  readonly ip: string;
  readonly log: Log;
}

/** Everything a socket sends. */
export class SocketOutlet {
  readonly #ws: WebSocket;
  readonly #connection: Duplex;
  readonly #options: SocketOutletOptions;

  /** `connection` is what `ws` writes to. */
  constructor(ws: WebSocket, connection: Duplex, options: SocketOutletOptions) {
    this.#ws = ws;
    this.#connection = connection;
    this.#options = options;
  }

  get version(): Version {
    return this.#options.version;
  }

  send(frame: string | Buffer): void {
    const [ws, connection] = [this.#ws, this.#connection];
    if (ws.readyState !== WebSocket.OPEN) return;
    const { buffered, ip, log } = this.#options;
    if (ws.bufferedAmount > buffered) {
      log.warn({ ip, buffered: ws.bufferedAmount }, "realtime client reads too slowly: closed");
      ws.terminate();
      return;
    }
    // A batch of changes is many small frames at once: a write for each costs more than everything else about them.
    if (connection.writableCorked === 0) {
      connection.cork();
      process.nextTick(() => connection.uncork());
    }
    ws.send(frame);
    // What is held back here must not count as what a slow reader leaves.
    if (connection.writableLength >= PACKET) connection.uncork();
  }

  push(message: Message): void {
    this.send(encodeText(this.version, message));
  }

  reply(to: Message, status: "ok" | "error", response: unknown): void {
    this.push({ ...to, event: "phx_reply", payload: { status, response } });
  }
}

/** What one channel sends, under its topic and the reference of its join. */
export class ChannelOutlet {
  readonly #socket: SocketOutlet;
  readonly #topic: string;
  readonly #joinRef: string | null;

  constructor(socket: SocketOutlet, topic: string, joinRef: string | null) {
    this.#socket = socket;
    this.#topic = topic;
    this.#joinRef = joinRef;
  }

  push(event: string, payload: unknown): void {
    this.#push(null, event, payload);
  }

  pushChange(change: ChangePayload): void {
    const to = { joinRef: this.#joinRef, topic: this.#topic };
    this.#socket.send(encodeChange(this.#socket.version, to, change));
  }

  pushBroadcast(frames: BroadcastFrames): void {
    const frame = frames.frame(this.#socket.version);
    if (frame !== undefined) this.#socket.send(frame);
  }

  /** What the client's `system` event receives. */
  pushSystem(extension: string, status: "ok" | "error", message: string): void {
    this.push("system", { extension, status, message, channel: this.#topic.slice("realtime:".length) });
  }

  reply(ref: string | null, status: "ok" | "error", response: unknown): void {
    this.#push(ref, "phx_reply", { status, response });
  }

  /** The last frame of a channel. */
  pushClosed(): void {
    this.#push(this.#joinRef, "phx_close", {});
  }

  #push(ref: string | null, event: string, payload: unknown): void {
    this.#socket.push({ joinRef: this.#joinRef, ref, topic: this.#topic, event, payload });
  }
}
