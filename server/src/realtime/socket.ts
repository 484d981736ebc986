// One WebSocket: frames in, channels, frames out. Frames of one moment leave in one packet. Owns the limits that keep a client from hurting the others, and survives
// whatever it sends.
import type { Duplex } from "node:stream";
import { type RawData, WebSocket } from "ws";
import type { Log } from "../platform/log.ts";
import { AccessError } from "./access.ts";
import { type Channel, type ChannelDeps, openChannel, type Outlet } from "./channel.ts";
import { parseJoin, weightOf } from "./join.ts";
import { createRate } from "./rates.ts";
import {
  decodeBroadcastPush,
  decodeText,
  encodeChange,
  encodeText,
  type Message,
  ProtocolError,
  type Version,
} from "./protocol.ts";

export interface SocketLimits {
  readonly channels: number;
  /** Joins in any second. */
  readonly joinsPerSecond: number;
  /** Messages in any second, of one socket and of all sockets of an address. */
  readonly messagesPerSecond: number;
  readonly messagesPerSecondOfAddress: number;
  /** Bytes that may wait for a slow reader. */
  readonly buffered: number;
  /** Milliseconds without a word, heartbeats included. */
  readonly silence: number;
}

export interface SocketOptions {
  readonly version: Version;
  /** Stands in where a join brings no token of its own. */
  readonly apiKey: string;
  readonly limits: SocketLimits;
  readonly ip: string;
  /** Counts a message of this address; false when it has sent its share. */
  readonly mayAddressSend: () => boolean;
  /** Asks the database when it is this address's turn. Throws AccessError when too many wait. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** What all sockets of this address have joined together. */
  readonly joined: Share;
  readonly log: Log;
}

/** What something may grow to, however many hold a part of it. */
export interface Share {
  /** Returns how to give it back; undefined when there is no room. */
  hold(weight: number): (() => void) | undefined;
}

const LONGEST_TOPIC = 255;
const INVALID_FRAME = 1007;
const FAILED = 1011;
const TOO_MUCH = 1008;
const PACKET = 64 * 1024; // bytes kept back at most
const MAX_UNHANDLED = 64; // frames read ahead while an earlier one is handled

export interface ServedSocket {
  close(): void;
  /** Every channel open on it. */
  channels(): Channel[];
}

interface Membership {
  readonly joinRef: string | null;
  /** Undefined while the join is being checked. */
  channel: Channel | undefined;
  /** Its part of the address's share. */
  readonly release: () => void;
}

/** `connection` is what `ws` writes to. Returns how to end it from our side. */
export function serveSocket(
  ws: WebSocket,
  connection: Duplex,
  deps: ChannelDeps,
  options: SocketOptions,
): ServedSocket {
  const { version, limits, log, ip } = options;
  const memberships = new Map<string, Membership>();
  let joins: number[] = [];
  const messages = createRate(limits.messagesPerSecond);
  let silence = setTimeout(fallSilent, limits.silence);
  // Frames are handled in order: a leave must not overtake its join.
  let handling = Promise.resolve();
  let unhandled = 0;

  function send(frame: string | Buffer) {
    if (ws.readyState !== WebSocket.OPEN) return;
    if (ws.bufferedAmount > limits.buffered) {
      log.warn({ ip, buffered: ws.bufferedAmount }, "realtime client reads too slowly: closed");
      ws.terminate();
      return;
    }
    // A batch of changes is many small frames at once: as many writes cost more than everything else about them.
    if (connection.writableCorked === 0) {
      connection.cork();
      process.nextTick(() => connection.uncork());
    }
    ws.send(frame);
    // What waits here must not pass for what a slow reader leaves.
    if (connection.writableLength >= PACKET) connection.uncork();
  }

  const push = (message: Message) => send(encodeText(version, message));

  const reply = (to: Message, status: "ok" | "error", response: unknown) =>
    push({ ...to, event: "phx_reply", payload: { status, response } });

  function outletFor(topic: string, membership: Membership): Outlet {
    const { joinRef } = membership;
    const at = (ref: string | null) => ({ joinRef, ref, topic, event: "", payload: {} });
    return {
      push: (event, payload) => push({ joinRef, ref: null, topic, event, payload }),
      pushChange: (change) => send(encodeChange(version, { joinRef, topic }, change)),
      pushBroadcast(frames) {
        const frame = frames.frame(version);
        if (frame !== undefined) send(frame);
      },
      reply: (ref, status, response) => reply(at(ref), status, response),
      inTurn: options.inTurn,
      ended() {
        membership.release();
        if (memberships.get(topic) === membership) memberships.delete(topic);
        push({ joinRef, ref: joinRef, topic, event: "phx_close", payload: {} });
      },
    };
  }

  function leave(topic: string) {
    const membership = memberships.get(topic);
    memberships.delete(topic);
    membership?.release();
    membership?.channel?.close();
    return membership;
  }

  function refusal(topic: string): string | undefined {
    const now = performance.now();
    joins = [...joins.filter((time) => now - time < 1000), now];
    if (joins.length > limits.joinsPerSecond) return "ClientJoinRateLimitReached: Too many joins per second";
    if (memberships.size >= limits.channels) return "ChannelRateLimitReached: Too many channels";
    if (topic.length > LONGEST_TOPIC) return "TopicNameTooLong: The topic name is too long";
    if (topic === "realtime:") return "TopicNameRequired: You must provide a topic name";
    return topic.startsWith("realtime:") ? undefined : "unmatched topic";
  }

  async function join(message: Message) {
    const { topic, ref } = message;
    const previous = leave(topic);
    if (previous)
      push({ joinRef: previous.joinRef, ref: previous.joinRef, topic, event: "phx_close", payload: {} });
    const request = parseJoin(message.payload);
    const reason =
      refusal(topic) ?? (request ? undefined : "InvalidJoinPayload: Unable to parse the join payload");
    if (!request || reason) return reply(message, "error", { reason });

    const release = options.joined.hold(weightOf(request));
    if (!release) {
      const tooMany = "ChannelRateLimitReached: Too many channels and subscriptions of this network";
      return reply(message, "error", { reason: tooMany });
    }
    const membership: Membership = { joinRef: message.joinRef ?? ref, channel: undefined, release };
    memberships.set(topic, membership);
    try {
      const token = request.access_token ?? options.apiKey;
      const channel = await openChannel(deps, topic, token, request, outletFor(topic, membership));
      if (memberships.get(topic) !== membership) return channel.close(); // the socket went away meanwhile
      membership.channel = channel;
      // Not awaited: a join that waits for PostgreSQL holds nothing else up.
      channel.start(ref).catch(fail);
    } catch (error) {
      leave(topic);
      if (!(error instanceof AccessError)) throw error;
      reply(message, "error", { reason: error.message });
    }
  }

  async function handle(message: Message) {
    const { topic, event } = message;
    if (topic === "phoenix" && event === "heartbeat") return reply(message, "ok", {});
    if (event === "phx_join") return join(message);
    if (event === "phx_leave") {
      const left = leave(topic);
      reply(message, "ok", {});
      if (left) push({ joinRef: left.joinRef, ref: left.joinRef, topic, event: "phx_close", payload: {} });
      return;
    }
    const channel = memberships.get(topic)?.channel;
    if (!channel) return reply(message, "error", { reason: "unmatched topic" });
    await channel.handle(message);
  }

  async function receive(frame: RawData, isBinary: boolean) {
    const bytes = frame as Buffer; // ws gives one buffer a message unless told otherwise
    if (!isBinary) return handle(decodeText(version, bytes.toString("utf8")));
    const { topic, ref, joinRef, broadcast } = decodeBroadcastPush(bytes);
    const channel = memberships.get(topic)?.channel;
    if (channel) return channel.broadcast(ref, broadcast);
    reply({ joinRef, ref, topic, event: "", payload: {} }, "error", { reason: "unmatched topic" });
  }

  function fail(error: unknown) {
    if (error instanceof ProtocolError) return ws.close(INVALID_FRAME, error.message);
    log.error({ err: error, ip }, "realtime socket failed");
    ws.close(FAILED, "Internal error");
  }

  function fallSilent() {
    ws.close(1000, "No heartbeat");
    // A peer that does not even answer the close is cut off by ws after its own timeout.
  }

  ws.on("message", (frame, isBinary) => {
    silence.refresh();
    if (!messages.count() || !options.mayAddressSend())
      return ws.close(TOO_MUCH, "Too many messages per second");
    if (++unhandled >= MAX_UNHANDLED) ws.pause();
    handling = handling
      .then(() => receive(frame, isBinary))
      .catch(fail)
      .finally(() => {
        if (--unhandled < MAX_UNHANDLED && ws.isPaused) ws.resume();
      });
  });
  ws.on("error", (error) => log.debug({ err: error, ip }, "realtime socket broke")); // too large or not UTF-8: ws closes
  ws.on("close", () => {
    clearTimeout(silence);
    for (const topic of memberships.keys()) leave(topic);
  });

  return {
    close: () => ws.close(1001, "Server is stopping"),
    channels: () => [...memberships.values()].flatMap(({ channel }) => channel ?? []),
  };
}
