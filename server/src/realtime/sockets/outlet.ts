// Output to a client: the frames of one moment leave in one packet, and a client that reads too slowly is cut off.
import type { Duplex } from "node:stream";
import { WebSocket } from "ws";
import type { Log } from "../../platform/log.ts";
import type { ChangeBatch } from "../changes/index.ts";
import type { BroadcastFrames } from "../channels/fanout.ts";
import { inPackets, PACKET } from "./packets.ts";
import { encodeChange, encodeText, type Message, type Version } from "./protocol.ts";

const KEPT = 16; // serializations of a batch, one for each topic and join reference

export interface SocketOutletOptions {
  readonly version: Version;
  /** Bytes that may wait for a slow reader. */
  readonly buffered: number;
  readonly ip: string;
  readonly log: Log;
}

/** Connections corked until the end of this turn. */
let held: Duplex[] = [];

function letAllGo(): void {
  const connections = held;
  held = [];
  for (const connection of connections) connection.uncork();
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

  send(frame: string): void {
    if (!this.#isRead()) return;
    this.#hold();
    this.#ws.send(frame);
    this.#letGo();
  }

  /** Frames already serialized, identical for everybody who receives them. */
  sendPackets(packets: readonly Buffer[]): void {
    for (const packet of packets) {
      if (!this.#isRead()) return;
      this.#hold();
      this.#connection.write(packet);
      this.#letGo();
    }
  }

  /** One moment brings many small frames: a write for each costs more than everything else about them. */
  #hold(): void {
    const connection = this.#connection;
    if (connection.writableCorked > 0) return;
    connection.cork();
    if (held.push(connection) === 1) process.nextTick(letAllGo);
  }

  /** What is held back here must not count as unread by a slow reader. */
  #letGo(): void {
    if (this.#connection.writableLength >= PACKET) this.#connection.uncork();
  }

  push(message: Message): void {
    this.send(encodeText(this.version, message));
  }

  reply(to: Message, status: "ok" | "error", response: unknown): void {
    this.push({ ...to, event: "phx_reply", payload: { status, response } });
  }

  /** Cuts off a client that reads too slowly. */
  #isRead(): boolean {
    const { readyState, bufferedAmount } = this.#ws;
    if (readyState !== WebSocket.OPEN) return false;
    const { buffered, ip, log } = this.#options;
    if (bufferedAmount <= buffered) return true;
    log.warn({ ip, buffered: bufferedAmount }, "realtime client reads too slowly: closed");
    this.#ws.terminate();
    return false;
  }
}

/** What one channel sends, under its topic and join reference. */
export class ChannelOutlet {
  readonly #socket: SocketOutlet;
  readonly #topic: string;
  readonly #joinRef: string | null;
  /** Channels of one key get the same frames. */
  readonly #key: string;

  constructor(socket: SocketOutlet, topic: string, joinRef: string | null) {
    this.#socket = socket;
    this.#topic = topic;
    this.#joinRef = joinRef;
    this.#key = JSON.stringify([socket.version, joinRef, topic]);
  }

  push(event: string, payload: unknown): void {
    this.#push(null, event, payload);
  }

  pushChanges({ changes, packets }: ChangeBatch): void {
    let own = packets.get(this.#key);
    if (own === undefined) {
      const to = { joinRef: this.#joinRef, topic: this.#topic };
      own = inPackets(changes.map((change) => encodeChange(this.#socket.version, to, change)));
      if (packets.size < KEPT) packets.set(this.#key, own);
    }
    this.#socket.sendPackets(own);
  }

  pushBroadcast(frames: BroadcastFrames): void {
    this.#socket.sendPackets(frames.packets(this.#socket.version));
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
