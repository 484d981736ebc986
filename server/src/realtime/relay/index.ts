// Connects this process's rooms with those of the others.
import { z } from "zod";
import { type Fanout, type RelayedBroadcast, unpacked } from "../channels/fanout.ts";
import type { StoredBroadcasts } from "../messages/stored-broadcasts.ts";
import type { Presence } from "../channels/presence.ts";
import { createRelay, type Relay, type RelayOptions } from "./relay.ts";

export interface Rooms {
  readonly fanout: Fanout;
  readonly presence: Presence;
  readonly stored: StoredBroadcasts;
}

const broadcast: z.ZodType<RelayedBroadcast> = z.object({
  kind: z.literal("broadcast"),
  room: z.object({ topic: z.string(), private: z.boolean() }),
  event: z.string(),
  json: z.string().exactOptional(),
  bytes: z.string().exactOptional(),
});

export const connectProcesses = (options: RelayOptions, { fanout, presence, stored }: Rooms): Relay =>
  createRelay(options, {
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
