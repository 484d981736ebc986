// One socket's membership in one topic: broadcasts, presence and database changes, as the join asked for them. Owns what
// must be undone when it ends.
import { crc32 } from "node:zlib";
import type { Claims } from "../platform/jwt.ts";
import type { Log } from "../platform/log.ts";
import type { Database } from "../postgres/database.ts";
import { type Access, AccessError, concerns, type Ended, SESSION_ENDED } from "./access.ts";
import { type Changes, type ChangePayload, SubscriptionError } from "./changes/index.ts";
import type { BroadcastFrames, Fanout, Room } from "./fanout.ts";
import type { ChangeRequest, JoinRequest } from "./join.ts";
import type { Presence, PresenceDiff, PresenceHandle } from "./presence.ts";
import type { Broadcast, Message } from "./protocol.ts";
import { type ChannelPolicies, channelPolicies } from "./queries.ts";

export interface ChannelDeps {
  readonly database: Database;
  readonly access: Access;
  readonly fanout: Fanout;
  readonly presence: Presence;
  readonly changes: Changes;
  /** Whether visitors without an account may speak on public channels. */
  readonly anonymousBroadcast: boolean;
  readonly log: Log;
}

/** What a channel needs of its socket. */
export interface Outlet {
  push(event: string, payload: unknown): void;
  pushChange(change: ChangePayload): void;
  pushBroadcast(frames: BroadcastFrames): void;
  reply(ref: string | null, status: "ok" | "error", response: unknown): void;
  /** Asks the database when it is its address's turn. Throws AccessError when too many wait. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** The channel ended by itself; the socket forgets it and tells the client. */
  ended(): void;
}

export interface Channel {
  /** Answers the join, then lets everything flow. */
  start(ref: string | null): Promise<void>;
  handle(message: Message): Promise<void>;
  broadcast(ref: string | null, broadcast: Broadcast): void;
  /** Closes it when whom it acts for has gone. */
  endFor(ended: Ended): void;
  /** Closes it when its session has ended without a word having come. */
  recheck(): Promise<void>;
  close(): void;
}

const OPEN: ChannelPolicies = { read: true, broadcast: true, presence: true };
const LISTENING: ChannelPolicies = { read: true, broadcast: false, presence: false };

/** A public channel's, where nothing but the account is asked about. */
export const publicPolicies = ({ role }: Claims, anonymousBroadcast: boolean): ChannelPolicies =>
  role === "anon" && !anonymousBroadcast ? LISTENING : OPEN;

/** Characters of what somebody tracks, as JSON: a room's newcomers get everybody's. */
const MOST_TRACKED = 10_000;

/** Throws AccessError when the token or the policies of a private channel refuse. `token`: of the join, or the API key. */
export async function openChannel(
  deps: ChannelDeps,
  topic: string,
  token: string,
  { config }: JoinRequest,
  outlet: Outlet,
): Promise<Channel> {
  const { access, fanout, changes, log } = deps;
  const room: Room = { topic, private: config.private ?? false };
  const name = topic.slice("realtime:".length);
  const requested = withIds(config.postgres_changes ?? []);

  let currentToken = token;
  let { claims, policies } = await outlet.inTurn(() => admit(token));
  let closed = false;
  let stopExpiry = () => {};
  let stopListening = () => {};
  let presence: PresenceHandle | undefined;

  async function admit(candidate: string) {
    const verified = await access.verify(candidate);
    return { claims: verified, policies: await authorise(verified) };
  }

  async function authorise(candidate: Claims): Promise<ChannelPolicies> {
    if (!room.private) return publicPolicies(candidate, deps.anonymousBroadcast);
    const found = await channelPolicies(deps.database, candidate, name);
    if (found.read) return found;
    throw new AccessError(
      `Unauthorized: You do not have permissions to read from this Channel topic: ${name}`,
    );
  }

  const system = (extension: string, status: "ok" | "error", message: string) => {
    if (!closed) outlet.push("system", { extension, status, message, channel: name });
  };

  const shutDown = (message: string) => {
    if (closed) return;
    system("system", "error", message);
    channel.close();
    outlet.ended();
  };

  const listener = (frames: BroadcastFrames) => outlet.pushBroadcast(frames);

  const subscriber = {
    claims: () => claims,
    inTurn: outlet.inTurn,
    onChange: (change: ChangePayload) => outlet.pushChange(change),
    onResumed: () => system("postgres_changes", "ok", "Subscribed to PostgreSQL"),
    onEnded: (reason: string) => system("postgres_changes", "error", reason),
  };

  /** True once changes flow. */
  async function subscribe(): Promise<boolean> {
    try {
      await changes.subscribe(subscriber, requested);
      if (closed) changes.unsubscribe(subscriber);
      else system("postgres_changes", "ok", "Subscribed to PostgreSQL");
      return true;
    } catch (error) {
      if (error instanceof SubscriptionError || error instanceof AccessError)
        system("postgres_changes", "error", error.message);
      else if (!closed) {
        log.error({ err: error }, "subscription failed");
        system("postgres_changes", "error", "Unable to subscribe to changes");
      }
      return false;
    }
  }

  function joinPresence() {
    const member = { onDiff: (diff: PresenceDiff) => outlet.push("presence_diff", diff) };
    presence = deps.presence.join(room, config.presence?.key || crypto.randomUUID(), member);
    outlet.push("presence_state", presence.state());
    return presence;
  }

  async function renewToken(payload: unknown) {
    const renewed = (payload as { access_token?: unknown } | null)?.access_token;
    if (typeof renewed !== "string" || renewed === currentToken) return;
    try {
      ({ claims, policies } = await outlet.inTurn(() => admit(renewed)));
      currentToken = renewed;
      stopExpiry();
      stopExpiry = closed ? () => {} : access.onExpiry(claims, shutDown);
    } catch (error) {
      if (!(error instanceof AccessError)) throw error;
      shutDown(error.message);
    }
  }

  const channel: Channel = {
    async start(ref) {
      stopExpiry = access.onExpiry(claims, shutDown);
      stopListening = fanout.listen(room, listener);
      const flowing = requested.length > 0 ? subscribe() : Promise.resolve(true);
      const { wait, timeout } = config.postgres_changes_options ?? { wait: false, timeout: 0 };
      if (wait && requested.length > 0 && !(await Promise.race([flowing, late(timeout)]))) {
        outlet.reply(ref, "error", { reason: "UnableToSubscribeToPostgres: Unable to subscribe to changes" });
        channel.close();
        return outlet.ended();
      }
      if (closed) return;
      const ids = requested.map(({ id, request }) => ({ ...request, id }));
      outlet.reply(ref, "ok", { postgres_changes: ids });
      if (config.presence?.enabled !== false) joinPresence();
    },

    async handle({ ref, event, payload }) {
      if (event === "access_token") return renewToken(payload);
      if (event === "presence") {
        const { event: what, payload: meta } = (payload ?? {}) as { event?: unknown; payload?: unknown };
        const action = typeof what === "string" ? what.toLowerCase() : "";
        const fits = JSON.stringify(meta ?? {}).length <= MOST_TRACKED;
        if (!fits) return outlet.reply(ref, "error", { reason: "Presence payload is too large" });
        if (policies.presence && action === "track") {
          (presence ?? joinPresence()).track((meta ?? {}) as Record<string, unknown>);
        }
        if (action === "untrack") presence?.untrack();
        const known = action === "track" || action === "untrack";
        return outlet.reply(ref, known ? "ok" : "error", {});
      }
      if (event === "broadcast") {
        const { event: said = "", payload: body } = (payload ?? {}) as { event?: unknown; payload?: unknown };
        channel.broadcast(ref, {
          event: typeof said === "string" ? said : "",
          body: { json: JSON.stringify(body ?? {}) },
        });
      }
    },

    broadcast(ref, broadcast) {
      const { self = false, ack = false } = config.broadcast ?? {};
      if (policies.broadcast) fanout.publish(room, broadcast, self ? undefined : listener);
      if (ack) outlet.reply(ref, "ok", {});
    },

    endFor(ended) {
      if (concerns(ended, claims)) shutDown(SESSION_ENDED);
    },

    async recheck() {
      try {
        await access.verify(currentToken);
      } catch (error) {
        if (!(error instanceof AccessError)) throw error;
        shutDown(error.message);
      }
    },

    close() {
      if (closed) return;
      closed = true;
      stopExpiry();
      stopListening();
      presence?.leave();
      changes.unsubscribe(subscriber);
    },
  };
  return channel;
}

const late = (milliseconds: number) =>
  new Promise<false>((resolve) => setTimeout(() => resolve(false), milliseconds).unref());

/** The client finds its callbacks by these: the same number for the same request, and none twice in a channel. */
function withIds(requests: readonly ChangeRequest[]) {
  const used = new Set<number>();
  return requests.map((request) => {
    let id = crc32(JSON.stringify(request)) & 0x7ffffff;
    while (id === 0 || used.has(id)) id++;
    used.add(id);
    return { id, request };
  });
}
