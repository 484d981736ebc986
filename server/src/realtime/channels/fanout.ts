// Delivers broadcasts to everybody who joined a topic, in this server process and, through `toPeers`, in the others.
import { inPackets } from "../sockets/packets.ts";
import { type Broadcast, type BroadcastBody, encodeBroadcast, type Version } from "../sockets/protocol.ts";

/** A private and a public channel of the same name are two rooms. */
export interface Room {
  /** With the `realtime:` prefix. */
  readonly topic: string;
  readonly private: boolean;
}

/** A broadcast ready to send: each version's frame is serialized once for all listeners. */
export interface BroadcastFrames {
  /** The id of a stored message. */
  readonly id: string | undefined;
  /** Empty if the version cannot express it. */
  packets(version: Version): readonly Buffer[];
}

export type Listener = (frames: BroadcastFrames) => void;

export interface Fanout {
  /** Returns a function that stops listening. */
  listen(room: Room, listener: Listener): () => void;
  /** `except`: the sender, unless it wants its own broadcasts back. */
  publish(room: Room, broadcast: Broadcast, except?: Listener): void;
  /** To the sockets of this process only. */
  deliver(room: Room, broadcast: Broadcast): void;
  /** Whether any socket of this process listens. */
  isHeard(room: Room): boolean;
}

/** A broadcast on its way to another process. */
export interface PeerBroadcast {
  readonly kind: "broadcast";
  readonly room: Room;
  readonly event: string;
  readonly json?: string;
  /** Base64. */
  readonly bytes?: string;
}

export const roomKey = (room: Room) => `${room.private ? "private" : "public"} ${room.topic}`;

export function createFanout(toPeers: (message: PeerBroadcast) => void): Fanout {
  const rooms = new Map<string, Set<Listener>>();

  const deliver = (room: Room, broadcast: Broadcast, except?: Listener) => {
    const listeners = rooms.get(roomKey(room));
    if (!listeners) return;
    const frames = createFrames(room.topic, broadcast);
    for (const listener of listeners) if (listener !== except) listener(frames);
  };

  return {
    listen(room, listener) {
      const key = roomKey(room);
      const listeners = rooms.get(key) ?? new Set();
      rooms.set(key, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && rooms.get(key) === listeners) rooms.delete(key);
      };
    },
    publish(room, broadcast, except) {
      toPeers({ kind: "broadcast", room, event: broadcast.event, ...packed(broadcast.body) });
      deliver(room, broadcast, except);
    },
    deliver: (room, broadcast) => deliver(room, broadcast),
    isHeard: (room) => rooms.has(roomKey(room)),
  };
}

export function createFrames(topic: string, broadcast: Broadcast): BroadcastFrames {
  const made = new Map<Version, readonly Buffer[]>();
  return {
    id: broadcast.meta?.id,
    packets(version) {
      const known = made.get(version);
      if (known) return known;
      const frame = encodeBroadcast(version, topic, broadcast);
      const packets = frame === undefined ? [] : inPackets([frame]);
      made.set(version, packets);
      return packets;
    },
  };
}

const packed = (body: BroadcastBody) =>
  "json" in body ? { json: body.json } : { bytes: Buffer.from(body.bytes).toString("base64") };

export const unpacked = ({ event, json, bytes }: PeerBroadcast): Broadcast => ({
  event,
  body: bytes === undefined ? { json: json ?? "{}" } : { bytes: Buffer.from(bytes, "base64") },
});
