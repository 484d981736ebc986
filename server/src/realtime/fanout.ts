// Delivers broadcasts to everybody who joined a topic. This one reaches the sockets of this process; one that reaches other
// processes can take its place behind the same interface.
import { type Broadcast, encodeBroadcast, type Version } from "./protocol.ts";

/** A private and a public channel of one name are two rooms. */
export interface Room {
  /** With the `realtime:` prefix. */
  readonly topic: string;
  readonly private: boolean;
}

/** A broadcast ready to send: each version's frame is encoded once, however many listen. */
export interface BroadcastFrames {
  frame(version: Version): string | Buffer | undefined;
}

export type Listener = (frames: BroadcastFrames) => void;

export interface Fanout {
  /** Returns how to stop listening. */
  listen(room: Room, listener: Listener): () => void;
  /** `except`: the sender, unless it wants to hear itself. */
  publish(room: Room, broadcast: Broadcast, except?: Listener): void;
}

export const roomKey = (room: Room) => `${room.private ? "private" : "public"} ${room.topic}`;

export function createLocalFanout(): Fanout {
  const rooms = new Map<string, Set<Listener>>();

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
      const listeners = rooms.get(roomKey(room));
      if (!listeners) return;
      const made = new Map<Version, string | Buffer | undefined>();
      const frames: BroadcastFrames = {
        frame(version) {
          if (!made.has(version)) made.set(version, encodeBroadcast(version, room.topic, broadcast));
          return made.get(version);
        },
      };
      for (const listener of listeners) if (listener !== except) listener(frames);
    },
  };
}
