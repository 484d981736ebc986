// What a channel receives from its room, from its admission to its end: first the requested replay, then new broadcasts, each
// message once.
import { z } from "zod";
import type { Database } from "../../postgres/database.ts";
import { AccessError } from "../access.ts";
import type { BroadcastFrames, Fanout, Listener, Room } from "../channels/fanout.ts";
import { createFrames } from "../channels/fanout.ts";
import type { ChannelOutlet } from "../sockets/outlet.ts";
import { messagesToReplay } from "./queries.ts";

export interface BroadcastFeedOptions {
  readonly database: Database;
  readonly fanout: Fanout;
  readonly room: Room;
  readonly outlet: ChannelOutlet;
  /** Whether the policies currently let the channel read broadcasts. */
  readonly mayRead: () => boolean;
}

/** As on the platform: ten by default, and never more than 25. */
const MOST_REPLAYED = 25;
const LATEST = 8.64e15; // the last moment that a date can represent

const replayRequest = z.object({
  since: z.int().min(-LATEST).max(LATEST).nullish(),
  limit: z.int().nullish(),
});

export class BroadcastFeed {
  readonly #options: BroadcastFeedOptions;
  /** Represents the channel in its room. */
  readonly listener: Listener = (frames) => this.#hear(frames);
  #stop = () => {};
  /** Frames to send when the channel starts; undefined once it has. */
  #held: BroadcastFrames[] | undefined = [];
  #replayed: ReadonlySet<string> = new Set();

  constructor(options: BroadcastFeedOptions) {
    this.#options = options;
  }

  /** Loads the replay, and holds new broadcasts meanwhile. Throws AccessError. */
  async prepare(request: unknown): Promise<void> {
    const { database, fanout, room, mayRead } = this.#options;
    if (!room.private) {
      throw new AccessError("UnableToReplayMessages: Replay is not allowed for public channels");
    }
    const name = room.topic.slice("realtime:".length);
    if (!mayRead()) {
      throw new AccessError(
        `Unauthorized: You do not have permissions to read from this Channel topic: ${name}`,
      );
    }
    const parsed = replayRequest.safeParse(request);
    if (!parsed.success) throw new AccessError("UnableToReplayMessages: Replay params are not valid");
    const { since, limit } = parsed.data;
    this.#stop = fanout.listen(room, this.listener);
    const most = Math.max(1, Math.min(limit ?? 10, MOST_REPLAYED));
    const messages = await messagesToReplay(database, name, since ?? 0, most);
    this.#replayed = new Set(messages.map(({ id }) => id));
    this.#held = [
      ...messages.map(({ broadcast }) => createFrames(room.topic, broadcast)),
      ...(this.#held ?? []).filter(({ id }) => id === undefined || !this.#replayed.has(id)),
    ];
  }

  /** Listens, unless it already does. */
  listen(): void {
    const { fanout, room } = this.#options;
    this.#stop();
    this.#stop = fanout.listen(room, this.listener);
  }

  /** Sends what was held, and from now on everything at once. */
  flow(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const frames of held) this.#push(frames);
  }

  stop(): void {
    this.#stop();
    this.#held = undefined;
  }

  #hear(frames: BroadcastFrames): void {
    if (this.#held) this.#held.push(frames);
    else if (frames.id === undefined || !this.#replayed.has(frames.id)) this.#push(frames);
  }

  #push(frames: BroadcastFrames): void {
    if (this.#options.mayRead()) this.#options.outlet.pushBroadcast(frames);
  }
}
