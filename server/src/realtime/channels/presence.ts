// Who is in a room, in the shape of Phoenix.Presence: for each key the metas of everybody tracked under it, by this process and
// by the others, each of which owns its own members. Bounds what a room holds, because every new member receives all of it.
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { type Room, roomKey } from "./fanout.ts";

type Meta = {
  readonly phx_ref: string;
  readonly phx_ref_prev?: string;
  readonly [field: string]: unknown;
};
type PresenceState = Record<string, { metas: Meta[] }>;

export interface PresenceDiff {
  readonly joins: PresenceState;
  readonly leaves: PresenceState;
}

interface PresenceMember {
  /** Called with every change of the room, including the member's own. */
  onDiff(diff: PresenceDiff): void;
}

export interface Presence {
  /** Watches a room; `leave` also untracks. */
  join(room: Room, key: string, member: PresenceMember): PresenceHandle;
  /** Handles a message from another process. Throws if no process would send it. */
  receive(process: string, message: unknown): void;
  /** Removes everybody tracked by that process. */
  forget(process: string): void;
  /** Sends everybody tracked here to the other processes. */
  introduce(): void;
}

export interface PresenceHandle {
  state(): PresenceState;
  /** Tracks, or replaces what was tracked. Returns false, with no effect, when the room has no space for it. */
  track(payload: Record<string, unknown>): boolean;
  untrack(): void;
  leave(): void;
}

interface Tracked {
  readonly key: string;
  meta: Meta | undefined;
  /** Characters it uses of the room's total. */
  size: number;
}

/** A member tracked by another process. */
interface Away {
  readonly process: string;
  readonly key: string;
  readonly meta: Meta;
  readonly size: number;
}

interface Members {
  readonly room: Room;
  readonly members: Map<PresenceMember, Tracked>;
  /** By reference. */
  readonly away: Map<string, Away>;
  /** Characters tracked by all. */
  size: number;
}

const entry = z.tuple([z.string(), z.looseObject({ phx_ref: z.string() })]);
const room = z.object({ topic: z.string(), private: z.boolean() });
const peerPresence = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("presence"), room, joins: z.array(entry), leaves: z.array(entry) }),
  z.object({ kind: z.literal("everybody"), rooms: z.array(z.object({ room, entries: z.array(entry) })) }),
]);
type Entry = z.infer<typeof entry>;
export type PeerPresence = z.infer<typeof peerPresence>;

/** Characters of a key's punctuation and of the added references. */
const OVERHEAD = 64;

const sizeOf = (key: string, payload: object) =>
  JSON.stringify(payload).length + JSON.stringify(key).length + OVERHEAD;

/** `most`: characters a room's state may have. `toPeers` sends to the other processes. */
export function createPresence(most: number, toPeers: (message: PeerPresence) => void): Presence {
  const rooms = new Map<string, Members>();

  const enter = (entered: Room): Members => {
    const id = roomKey(entered);
    const inside: Members = rooms.get(id) ?? { room: entered, members: new Map(), away: new Map(), size: 0 };
    rooms.set(id, inside);
    return inside;
  };
  const closeIfEmpty = ({ room: left, members, away }: Members) => {
    if (members.size === 0 && away.size === 0) rooms.delete(roomKey(left));
  };
  const change = (process: string, inside: Members, joins: readonly Entry[], leaves: readonly Entry[]) => {
    changeAway(process, inside, joins, leaves);
    closeIfEmpty(inside);
  };
  const replace = (process: string, entries: ReadonlyMap<string, readonly Entry[]>) => {
    for (const [id, inside] of rooms) {
      const now = entries.get(id) ?? [];
      change(process, inside, now, goneFrom(process, inside, now));
    }
  };

  return {
    join(joined, key, member) {
      const inside = enter(joined);
      const { leave, ...handle } = enroll(inside, key, member, { most, toPeers });
      return {
        ...handle,
        leave() {
          leave();
          closeIfEmpty(inside);
        },
      };
    },
    receive(process, message) {
      const said = peerPresence.parse(message);
      if (said.kind === "presence") return change(process, enter(said.room), said.joins, said.leaves);
      for (const each of said.rooms) enter(each.room);
      replace(process, new Map(said.rooms.map((each) => [roomKey(each.room), each.entries])));
    },
    forget: (process) => replace(process, new Map()),
    introduce() {
      const here = [...rooms.values()].map((inside) => ({ room: inside.room, entries: trackedHere(inside) }));
      toPeers({ kind: "everybody", rooms: here.filter(({ entries }) => entries.length > 0) });
    },
  };
}

/** A member of this process, and what it tracks. */
function enroll(
  inside: Members,
  key: string,
  member: PresenceMember,
  { most, toPeers }: { most: number; toPeers: (message: PeerPresence) => void },
): PresenceHandle {
  const own: Tracked = { key, meta: undefined, size: 0 };
  inside.members.set(member, own);
  const move = (meta: Meta | undefined, size: number) => {
    const left = own.meta;
    inside.size += size - own.size;
    own.meta = meta;
    own.size = size;
    const [joins, leaves] = [entriesOf(key, meta), entriesOf(key, left)];
    announce(inside, joins, leaves);
    if (joins.length + leaves.length > 0) toPeers({ kind: "presence", room: inside.room, joins, leaves });
  };
  return {
    state: () => grouped(everybodyIn(inside)),
    track(payload) {
      const size = sizeOf(key, payload);
      if (inside.size - own.size + size > most) return false;
      const previous = own.meta && { phx_ref_prev: own.meta.phx_ref };
      move({ ...payload, phx_ref: randomBytes(9).toString("base64url"), ...previous }, size);
      return true;
    },
    untrack: () => move(undefined, 0),
    leave() {
      inside.members.delete(member);
      move(undefined, 0);
    },
  };
}

function announce({ members }: Members, joined: readonly Entry[], left: readonly Entry[]): void {
  if (joined.length + left.length === 0) return;
  const diff = { joins: grouped(joined), leaves: grouped(left) };
  for (const each of members.keys()) each.onDiff(diff);
}

/** Applies joins and leaves from another process. This process may already know some of the members. */
function changeAway(
  process: string,
  inside: Members,
  joins: readonly Entry[],
  leaves: readonly Entry[],
): void {
  const left = leaves.filter(([, { phx_ref: ref }]) => inside.away.get(ref)?.process === process);
  for (const [, { phx_ref: ref }] of left) {
    inside.size -= inside.away.get(ref)!.size;
    inside.away.delete(ref);
  }
  const joined = joins.filter(([, { phx_ref: ref }]) => !inside.away.has(ref));
  for (const [key, meta] of joined) {
    const size = sizeOf(key, meta);
    inside.away.set(meta.phx_ref, { process, key, meta, size });
    inside.size += size;
  }
  announce(inside, joined, left);
}

/** The members a process used to track there but no longer does. */
function goneFrom(process: string, { away }: Members, now: readonly Entry[]): Entry[] {
  const refs = new Set(now.map(([, { phx_ref: ref }]) => ref));
  return [...away.values()]
    .filter((each) => each.process === process && !refs.has(each.meta.phx_ref))
    .map(({ key, meta }) => [key, meta]);
}

const entriesOf = (key: string, meta: Meta | undefined): Entry[] => (meta ? [[key, meta]] : []);

const trackedHere = ({ members }: Members): Entry[] =>
  Array.from(members.values()).flatMap(({ key, meta }) => entriesOf(key, meta));

const everybodyIn = (inside: Members): Entry[] => [
  ...trackedHere(inside),
  ...Array.from(inside.away.values(), ({ key, meta }): Entry => [key, meta]),
];

function grouped(entries: readonly Entry[]): PresenceState {
  const byKey = Map.groupBy(entries, ([key]) => key);
  // Clients choose the keys, possibly `__proto__`. Object.fromEntries makes each an own property.
  return Object.fromEntries(
    [...byKey].map(([key, all]) => [key, { metas: all.map(([, meta]) => meta as Meta) }]),
  );
}
