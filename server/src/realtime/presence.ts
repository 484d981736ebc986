// Who is in a room, in the shape of Phoenix.Presence: for each key the metas of everybody tracked under it. In this
// process only. Bounds what a room holds, because every newcomer receives all of it.
import { randomBytes } from "node:crypto";
import { type Room, roomKey } from "./fanout.ts";

export type Meta = {
  readonly phx_ref: string;
  readonly phx_ref_prev?: string;
  readonly [field: string]: unknown;
};
export type PresenceState = Record<string, { metas: Meta[] }>;

export interface PresenceDiff {
  readonly joins: PresenceState;
  readonly leaves: PresenceState;
}

export interface PresenceMember {
  /** Called with every change of the room, the member's own included. */
  onDiff(diff: PresenceDiff): void;
}

export interface Presence {
  /** Watches a room; `leave` also untracks. */
  join(room: Room, key: string, member: PresenceMember): PresenceHandle;
}

export interface PresenceHandle {
  state(): PresenceState;
  /** Tracks, or replaces what was tracked. False, with no effect, when the room has no space for it. */
  track(payload: Record<string, unknown>): boolean;
  untrack(): void;
  leave(): void;
}

interface Tracked {
  readonly key: string;
  meta: Meta | undefined;
  /** Characters it takes of the room's. */
  size: number;
}

interface Members {
  readonly members: Map<PresenceMember, Tracked>;
  /** Characters tracked by all. */
  size: number;
}

/** Characters of a key's punctuation and of the references that are added. */
const OVERHEAD = 64;

/** `most`: characters a room's state may have. */
export function createPresence(most: number): Presence {
  const rooms = new Map<string, Members>();

  return {
    join(room, key, member) {
      const id = roomKey(room);
      const inside: Members = rooms.get(id) ?? { members: new Map(), size: 0 };
      rooms.set(id, inside);
      const { members } = inside;
      const own: Tracked = { key, meta: undefined, size: 0 };
      members.set(member, own);

      const announce = (joined: Meta | undefined, left: Meta | undefined) => {
        const entry = (meta: Meta | undefined): PresenceState => (meta ? { [key]: { metas: [meta] } } : {});
        const diff = { joins: entry(joined), leaves: entry(left) };
        for (const each of members.keys()) each.onDiff(diff);
      };
      const resize = (size: number) => {
        inside.size += size - own.size;
        own.size = size;
      };
      const untrack = () => {
        const left = own.meta;
        own.meta = undefined;
        resize(0);
        if (left) announce(undefined, left);
      };

      return {
        state() {
          const metas = new Map<string, Meta[]>();
          for (const { key: under, meta } of members.values()) {
            if (meta) metas.set(under, [...(metas.get(under) ?? []), meta]);
          }
          // Keys are the clients' words, `__proto__` among them: each is a property of its own here.
          return Object.fromEntries([...metas].map(([under, all]) => [under, { metas: all }]));
        },
        track(payload) {
          const size = JSON.stringify(payload).length + JSON.stringify(key).length + OVERHEAD;
          if (inside.size - own.size + size > most) return false;
          resize(size);
          const left = own.meta;
          own.meta = {
            ...payload,
            phx_ref: randomBytes(9).toString("base64url"),
            ...(left ? { phx_ref_prev: left.phx_ref } : {}),
          };
          announce(own.meta, left);
          return true;
        },
        untrack,
        leave() {
          members.delete(member);
          untrack();
          if (members.size === 0) rooms.delete(id);
        },
      };
    },
  };
}
