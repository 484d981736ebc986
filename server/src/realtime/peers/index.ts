// Connects this process's rooms with those of the others.
import { z } from "zod";
import { type Fanout, type PeerBroadcast, unpacked } from "../channels/fanout.ts";
import type { StoredBroadcasts } from "../messages/stored-broadcasts.ts";
import type { Presence } from "../channels/presence.ts";
import { createPeers, type Peers, type PeersOptions } from "./peers.ts";

export interface Rooms {
  readonly fanout: Fanout;
  readonly presence: Presence;
  readonly stored: StoredBroadcasts;
}

const broadcast: z.ZodType<PeerBroadcast> = z.object({
  kind: z.literal("broadcast"),
  room: z.object({ topic: z.string(), private: z.boolean() }),
  event: z.string(),
  json: z.string().exactOptional(),
  bytes: z.string().exactOptional(),
});

export const connectPeers = (options: PeersOptions, { fanout, presence, stored }: Rooms): Peers =>
  createPeers(options, {
    onMessage(from, message) {
      const said = broadcast.safeParse(message);
      if (said.success) fanout.deliver(said.data.room, unpacked(said.data));
      else presence.receive(from, message);
    },
    onMet: () => presence.introduce(),
    onGone: (process) => presence.forget(process),
    onStored: (notice) => stored.hear(notice),
    onConnected: () => stored.catchUp(),
  });
