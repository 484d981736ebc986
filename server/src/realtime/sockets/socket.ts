// One WebSocket from open to close: frames are read one after the other, and each is a heartbeat, a join, a leave or a
// message to a joined channel. Owns the limits that keep one client from hurting the others, and survives whatever it
// sends. sockets.ts opens it; what a channel does is in channels/channel.ts.
import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import type { Log } from "../../platform/log.ts";
import type { Refusals } from "../../platform/refusals.ts";
import { AccessError } from "../access.ts";
import type { Address } from "../limits/addresses.ts";
import { Channel, type ChannelDeps } from "../channels/channel.ts";
import { parseJoin, weightOf } from "../channels/join.ts";
import { REFUSED_JOINS, type SocketLimits } from "../limits/limits.ts";
import { ChannelOutlet, SocketOutlet } from "./outlet.ts";
import { decodeBroadcastPush, decodeText, type Message, ProtocolError, type Version } from "./protocol.ts";
import { createRate } from "../../platform/rates.ts";

export interface SocketOptions {
  readonly version: Version;
  /** Used where a join has no token. */
  readonly apiKey: string;
  readonly limits: SocketLimits;
  readonly address: Address;
  readonly log: Log;
  readonly refusals: Refusals;
}

const LONGEST_TOPIC = 255;
const MAX_UNHANDLED = 64; // frames read ahead while an earlier one is handled

/** Close codes of a socket. */
const CLOSE = { normal: 1000, goingAway: 1001, invalidFrame: 1007, tooMuch: 1008, failed: 1011 };

interface Membership {
  readonly channel: Channel;
  readonly outlet: ChannelOutlet;
  /** Gives back its part of the address's share. */
  readonly release: () => void;
}

export class Socket {
  readonly #ws: WebSocket;
  readonly #deps: ChannelDeps;
  readonly #options: SocketOptions;
  readonly #outlet: SocketOutlet;
  /** By topic, from the start of a join's check. */
  readonly #memberships = new Map<string, Membership>();
  readonly #messages;
  readonly #silence: NodeJS.Timeout;
  /** Times of the joins in the last second. */
  #joins: number[] = [];
  /** Refused joins of this socket and of the address's earlier ones, minus the accepted ones. */
  #refusedJoins: number;
  #ownRefusedJoins = 0;
  #endRest = () => {};
  /** The handling of the last frame. Frames are handled in order: a leave must not overtake its join. */
  #handling = Promise.resolve();
  #unhandled = 0;

  /** `connection` is what `ws` writes to. */
  constructor(ws: WebSocket, connection: Duplex, deps: ChannelDeps, options: SocketOptions) {
    const { version, limits, address, log } = options;
    this.#ws = ws;
    this.#deps = deps;
    this.#options = options;
    this.#outlet = new SocketOutlet(ws, connection, {
      version,
      buffered: limits.buffered,
      ip: address.ip,
      log,
    });
    this.#refusedJoins = address.refusedJoins.now();
    this.#messages = createRate(limits.messagesPerSecond);
    this.#silence = setTimeout(() => ws.close(CLOSE.normal, "No heartbeat"), limits.silence);
    ws.on("message", (frame, isBinary) => this.#onFrame(frame, isBinary));
    // The frame is too large or not UTF-8: ws closes the socket.
    ws.on("error", (error) => log.debug({ err: error, ip: address.ip }, "realtime socket broke"));
    ws.on("close", () => this.#onClose());
  }

  /** Every channel on it, including those still being checked. */
  channels(): Channel[] {
    return Array.from(this.#memberships.values(), ({ channel }) => channel);
  }

  get ip(): string {
    return this.#options.address.ip;
  }

  /** Bytes that its client has not read yet. */
  get unread(): number {
    return this.#ws.bufferedAmount;
  }

  /** Closes it from our side. */
  close(): void {
    this.#ws.close(CLOSE.goingAway, "Server is stopping");
  }

  /** As close, for a client that would not read the close frame. */
  cutOff(): void {
    this.#ws.terminate();
  }

  #onFrame(frame: RawData, isBinary: boolean): void {
    const ws = this.#ws;
    const { address, refusals } = this.#options;
    this.#silence.refresh();
    if (!this.#messages.count() || !address.maySend()) {
      refusals.warn("messages", { ip: address.ip }, "a realtime socket was closed: too many messages");
      for (const channel of this.channels()) channel.refuseMessages();
      return ws.close(CLOSE.tooMuch, "Too many messages per second");
    }
    if (++this.#unhandled >= MAX_UNHANDLED) ws.pause();
    this.#handling = this.#handling
      .then(() => this.#receive(frame as Buffer, isBinary)) // by default ws gives one buffer per message
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        if (--this.#unhandled < MAX_UNHANDLED && ws.isPaused) ws.resume();
      });
  }

  async #receive(bytes: Buffer, isBinary: boolean): Promise<void> {
    if (!isBinary) return this.#handle(decodeText(this.#options.version, bytes.toString("utf8")));
    const { topic, ref, joinRef, broadcast, persist } = decodeBroadcastPush(bytes);
    const channel = this.#memberships.get(topic)?.channel;
    if (channel) return persist ? channel.refuseToStore(ref) : channel.broadcast(ref, broadcast);
    this.#refuse({ joinRef, ref, topic, event: "", payload: {} }, "unmatched topic");
  }

  async #handle(message: Message): Promise<void> {
    const { topic, event } = message;
    if (topic === "phoenix" && event === "heartbeat") return this.#outlet.reply(message, "ok", {});
    if (event === "phx_join") return this.#join(message);
    if (event === "phx_leave") {
      const left = this.#leave(topic);
      this.#outlet.reply(message, "ok", {});
      return left?.outlet.pushClosed();
    }
    const channel = this.#memberships.get(topic)?.channel;
    if (!channel) return this.#refuse(message, "unmatched topic");
    await channel.handle(message);
  }

  async #join(message: Message): Promise<void> {
    const { topic, ref } = message;
    const { address, apiKey } = this.#options;
    this.#leave(topic)?.outlet.pushClosed();
    const reason = this.#joinRefusal(topic);
    if (reason) return this.#refuseForLimit(message, reason);
    const request = parseJoin(message.payload);
    if (!request) {
      return this.#refuseJoin(message, "InvalidJoinPayload: Unable to parse the join payload");
    }
    const release = address.joined.hold(weightOf(request));
    if (!release) {
      const tooMany = "ChannelRateLimitReached: Too many channels and subscriptions of this network";
      return this.#refuseForLimit(message, tooMany);
    }

    const outlet = new ChannelOutlet(this.#outlet, topic, message.joinRef ?? ref);
    const onClosed = () => void this.#leave(topic);
    const channel = new Channel(this.#deps, topic, request, {
      ...{ outlet, address: address.ip, inTurn: address.inTurn, onClosed },
    });
    this.#memberships.set(topic, { channel, outlet, release });
    try {
      await channel.admit(request.access_token ?? apiKey);
    } catch (error) {
      this.#leave(topic);
      if (!(error instanceof AccessError)) throw error;
      const fields = { ip: address.ip, topic, reason: error.message };
      this.#options.refusals.note("denied joins", fields, "a realtime join was denied");
      return this.#refuseJoin(message, error.message);
    }
    this.#refusedJoins = Math.max(0, this.#refusedJoins - 1);
    // Not awaited: a join that waits for PostgreSQL holds nothing else up.
    channel.start(ref).catch((error: unknown) => this.#fail(error));
  }

  #joinRefusal(topic: string): string | undefined {
    const { limits, address } = this.#options;
    const now = performance.now();
    this.#joins = [...this.#joins.filter((time) => now - time < 1000), now];
    if (this.#joins.length > limits.joinsPerSecond || !address.mayJoin()) {
      return "ClientJoinRateLimitReached: Too many joins per second";
    }
    if (this.#memberships.size >= limits.channels) return "ChannelRateLimitReached: Too many channels";
    if (topic.length > LONGEST_TOPIC) return "TopicNameTooLong: The topic name is too long";
    if (topic === "realtime:") return "TopicNameRequired: You must provide a topic name";
    return topic.startsWith("realtime:") ? undefined : "unmatched topic";
  }

  #leave(topic: string): Membership | undefined {
    const membership = this.#memberships.get(topic);
    this.#memberships.delete(topic);
    membership?.release();
    membership?.channel.close();
    return membership;
  }

  #refuse(message: Message, reason: string): void {
    this.#outlet.reply(message, "error", { reason });
  }

  /** Logged, since the operator may want to know. */
  #refuseForLimit(message: Message, reason: string): Promise<void> {
    const { address, refusals } = this.#options;
    refusals.warn("joins", { ip: address.ip, reason }, "a realtime join was refused");
    return this.#refuseJoin(message, reason);
  }

  /** After a few refusals, pauses reading for a while: what the client sends waits in its own buffers. */
  async #refuseJoin(message: Message, reason: string): Promise<void> {
    this.#refuse(message, reason);
    const { free, restMs, longestRestMs } = REFUSED_JOINS;
    this.#ownRefusedJoins++;
    const surplus = ++this.#refusedJoins - free;
    if (surplus <= 0) return;
    this.#ws.pause();
    await new Promise<void>((rested) => {
      const timer = setTimeout(rested, Math.min(longestRestMs, surplus * restMs)).unref();
      this.#endRest = () => {
        clearTimeout(timer);
        rested();
      };
    });
  }

  #fail(error: unknown): void {
    if (error instanceof ProtocolError) return this.#ws.close(CLOSE.invalidFrame, error.message);
    const { log, address } = this.#options;
    log.error({ err: error, ip: address.ip }, "realtime socket failed");
    this.#ws.close(CLOSE.failed, "Internal error");
  }

  #onClose(): void {
    clearTimeout(this.#silence);
    this.#options.address.refusedJoins.add(this.#ownRefusedJoins);
    this.#endRest();
    for (const topic of this.#memberships.keys()) this.#leave(topic);
  }
}
