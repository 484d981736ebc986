// One socket's membership in one topic: broadcasts, presence and database changes, as the join requested them. Its life:
// admit (token and policies), start (answer the join, let everything flow), handle and broadcast, close (undo it all).
import type { Claims } from "../../platform/keys/jwt.ts";
import type { Log } from "../../platform/log.ts";
import type { Database } from "../../postgres/database.ts";
import { type Access, AccessError, concerns, type Ended, SESSION_ENDED } from "../access.ts";
import { ChangeFeed } from "./change-feed.ts";
import type { Changes } from "../changes/index.ts";
import type { Fanout, Room } from "./fanout.ts";
import { type JoinRequest, type RequestedChange, withIds } from "./join.ts";
import { BroadcastFeed } from "../messages/broadcast-feed.ts";
import type { ChannelOutlet } from "../sockets/outlet.ts";
import type { Presence, PresenceDiff, PresenceHandle } from "./presence.ts";
import { type Broadcast, type Message, wantsStorage } from "../sockets/protocol.ts";
import { PRESENCE_CALLS } from "../limits/limits.ts";
import { type ChannelPolicies, channelPolicies } from "../queries.ts";
import { createWindow } from "../../platform/rates.ts";

export interface ChannelDeps {
  readonly database: Database;
  readonly access: Access;
  readonly fanout: Fanout;
  readonly presence: Presence;
  readonly changes: Changes;
  /** Whether visitors without an account may broadcast on public channels. */
  readonly anonymousBroadcast: boolean;
  /** Resolves when broadcasts from SQL reach this process. */
  readonly replicationReady: Promise<void>;
  readonly log: Log;
}

/** What a channel needs of its socket. */
export interface ChannelOptions {
  readonly outlet: ChannelOutlet;
  readonly address: string;
  /** Queries the database when it is the address's turn. Throws AccessError when too many wait. */
  readonly inTurn: <T>(check: () => Promise<T>) => Promise<T>;
  /** The channel ended on its own initiative. Its client knows. */
  readonly onClosed: () => void;
}

/** Whom a channel acts for, and what it may do. */
interface Standing {
  readonly token: string;
  readonly claims: Claims;
  readonly policies: ChannelPolicies;
}

/** A token being checked. Its session may end while the database is queried. */
interface Check {
  claims: Claims | undefined;
  endedMeanwhile: Ended[];
}

const OPEN: ChannelPolicies = { read: true, readPresence: true, broadcast: true, presence: true };
const LISTENING: ChannelPolicies = { ...OPEN, broadcast: false, presence: false };

/** The policies of a public channel, which depend only on whether there is an account. */
export const publicPolicies = ({ role }: Claims, anonymousBroadcast: boolean): ChannelPolicies =>
  role === "anon" && !anonymousBroadcast ? LISTENING : OPEN;

export const NOT_STORED = "Messages are not stored here. To replay a message, send it with realtime.send";

/** Milliseconds for which a client that asks for it waits until broadcasts from SQL arrive. */
const REPLICATION_WITHIN = 30_000;

/** Characters that one member may track, as JSON. */
const MOST_TRACKED = 10_000;

export class Channel {
  readonly #deps: ChannelDeps;
  readonly #options: ChannelOptions;
  readonly #config: JoinRequest["config"];
  readonly #room: Room;
  readonly #requested: readonly RequestedChange[];
  readonly #changeFeed: ChangeFeed;
  readonly #broadcastFeed: BroadcastFeed;
  #standing: Standing | undefined;
  #check: Check | undefined;
  #presence: PresenceHandle | undefined;
  readonly #mayCallPresence = createWindow(PRESENCE_CALLS);
  #stopExpiry = () => {};
  #closed = false;

  constructor(deps: ChannelDeps, topic: string, { config }: JoinRequest, options: ChannelOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#config = config;
    this.#room = { topic, private: config.private ?? false };
    this.#requested = withIds(config.postgres_changes ?? []);
    this.#broadcastFeed = new BroadcastFeed({
      ...{ database: deps.database, fanout: deps.fanout, room: this.#room, outlet: options.outlet },
      mayRead: () => this.#standing?.policies.read ?? false,
    });
    this.#changeFeed = new ChangeFeed(deps.changes, {
      requested: this.#requested,
      outlet: options.outlet,
      address: options.address,
      claims: () => this.#standing!.claims,
      inTurn: options.inTurn,
      log: deps.log,
    });
  }

  /**
   * `token`: the join's, or the API key. Throws AccessError if it is refused, or a private channel's policies refuse it.
   */
  async admit(token: string): Promise<void> {
    const check: Check = { claims: undefined, endedMeanwhile: [] };
    this.#check = check;
    const isJoin = this.#standing === undefined;
    const { replay } = this.#config.broadcast ?? {};
    try {
      await this.#options.inTurn(async () => {
        this.#standing = await this.#checked(token, check);
        if (isJoin && replay && !this.#closed) await this.#broadcastFeed.prepare(replay);
      });
    } finally {
      this.#check = undefined;
    }
  }

  /** Checked again if the session ended meanwhile. Throws AccessError. */
  async #checked(token: string, check: Check): Promise<Standing> {
    for (;;) {
      check.endedMeanwhile = [];
      const claims = await this.#deps.access.verify(token);
      check.claims = claims;
      const policies = await this.#policiesOf(claims);
      this.#refuseRevoked(policies);
      if (!check.endedMeanwhile.some((ended) => concerns(ended, claims))) return { token, claims, policies };
    }
  }

  /** Answers the join, then lets everything flow. */
  async start(ref: string | null): Promise<void> {
    if (this.#closed) return; // the client left during the check
    const { outlet } = this.#options;
    this.#watchExpiry();
    this.#broadcastFeed.listen();
    if (this.#requested.length > 0) {
      const { wait, timeout } = this.#config.postgres_changes_options ?? { wait: false, timeout: 0 };
      const refused = this.#changeFeed.start({ waits: wait });
      const late =
        "PostgresChangesSubscribeTimeout: Timed out after " +
        `${timeout}ms waiting for the postgres_changes subscription`;
      const reason = wait ? await Promise.race([refused, after(timeout, late)]) : undefined;
      if (reason !== undefined && !this.#closed) {
        outlet.reply(ref, "error", { reason }); // without a close, after which the client would not join again
        return this.#options.onClosed();
      }
    }
    if (this.#closed) return;
    const ids = this.#requested.map(({ id, request }) => ({ ...request, id }));
    outlet.reply(ref, "ok", { postgres_changes: ids });
    this.#broadcastFeed.flow();
    if (this.#config.presence?.enabled !== false) this.#joinPresence();
    if (this.#config.broadcast?.replication_ready) await this.#announceReplication();
  }

  async handle({ ref, event, payload }: Message): Promise<void> {
    if (event === "access_token") return this.#renewToken(payload);
    if (event === "presence") return this.#handlePresence(ref, payload);
    if (event === "broadcast") {
      if (wantsStorage(payload)) return this.refuseToStore(ref);
      const { event: name = "", payload: body } = (payload ?? {}) as { event?: unknown; payload?: unknown };
      this.broadcast(ref, {
        event: typeof name === "string" ? name : "",
        body: { json: JSON.stringify(body ?? {}) },
      });
    }
  }

  broadcast(ref: string | null, broadcast: Broadcast): void {
    const { self = false, ack = false } = this.#config.broadcast ?? {};
    const room = this.#room;
    if (this.#standing?.policies.broadcast) {
      this.#deps.fanout.publish(room, broadcast, self ? undefined : this.#broadcastFeed.listener);
    } else if (room.private) return; // the platform answers nothing
    if (ack) this.#options.outlet.reply(ref, "ok", {});
  }

  /** Does not send the message either: its sender relies on it being stored. */
  refuseToStore(ref: string | null): void {
    this.#options.outlet.reply(ref, "error", { error: NOT_STORED });
  }

  /** Closes a channel whose socket sends too much. */
  refuseMessages(): void {
    this.#shutDown("Too many messages per second");
  }

  /** The claims it acts under, and those being checked. */
  claims(): Claims[] {
    return [this.#standing?.claims, this.#check?.claims].filter((claims) => claims !== undefined);
  }

  /** Closes it if all of its user's sessions ended, or if its own did and may not be used any longer. */
  endFor(ended: Ended): void {
    this.#check?.endedMeanwhile.push(ended);
    const standing = this.#standing;
    if (!standing || !concerns(ended, standing.claims)) return;
    if (ended.session_id === undefined) return this.#shutDown(SESSION_ENDED);
    const check: Check = { claims: undefined, endedMeanwhile: [] };
    // Not in the address's turn, where its slow joins could hold this up.
    this.#checked(standing.token, check).catch((error: unknown) => {
      if (!(error instanceof AccessError))
        this.#deps.log.error({ err: error }, "a live channel could not be checked again");
      if (this.#standing === standing) this.#shutDown(SESSION_ENDED); // its token was not renewed meanwhile
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopExpiry();
    this.#broadcastFeed.stop();
    this.#presence?.leave();
    this.#changeFeed.stop();
  }

  async #policiesOf(claims: Claims): Promise<ChannelPolicies> {
    if (!this.#room.private) return publicPolicies(claims, this.#deps.anonymousBroadcast);
    const name = this.#room.topic.slice("realtime:".length);
    const policies = await channelPolicies(this.#deps.database, claims, name);
    if (policies.read || policies.readPresence) return policies;
    throw new AccessError(
      `Unauthorized: You do not have permissions to read from this Channel topic: ${name}`,
    );
  }

  /** A new token that may read less than the previous one ends the channel. */
  #refuseRevoked({ read, readPresence }: ChannelPolicies): void {
    const before = this.#standing?.policies;
    if (!before || ((read || !before.read) && (readPresence || !before.readPresence))) return;
    const name = this.#room.topic.slice("realtime:".length);
    throw new AccessError(`You no longer have permission to read from this Channel topic: ${name}`);
  }

  async #announceReplication(): Promise<void> {
    const ready = this.#deps.replicationReady.then(() => true as const);
    const isReady = await Promise.race([ready, after(REPLICATION_WITHIN, false)]);
    if (this.#closed) return;
    if (!isReady) return this.#shutDown("Replication connection was not established in time");
    this.#options.outlet.pushSystem("system", "ok", "Replication connection established");
  }

  async #renewToken(payload: unknown): Promise<void> {
    const token = (payload as { access_token?: unknown } | null)?.access_token;
    if (typeof token !== "string" || token.startsWith("sb_") || token === this.#standing?.token) return;
    try {
      await this.admit(token);
    } catch (error) {
      if (!(error instanceof AccessError)) throw error;
      return this.#shutDown(error.message.replace(/^\w+: /, "")); // only the reply to a join carries the code
    }
    if (!this.#closed) this.#watchExpiry();
  }

  #watchExpiry(): void {
    this.#stopExpiry();
    this.#stopExpiry = this.#deps.access.onExpiry(this.#standing!.claims, (message) =>
      this.#shutDown(message),
    );
  }

  #handlePresence(ref: string | null, payload: unknown): void {
    const { outlet } = this.#options;
    if (!this.#mayCallPresence()) return this.#shutDown("Client presence rate limit exceeded");
    const { event, payload: meta } = (payload ?? {}) as { event?: unknown; payload?: unknown };
    const action = typeof event === "string" ? event.toLowerCase() : "";
    if (action === "track" && !isMap(meta ?? {})) {
      return outlet.reply(ref, "error", { reason: "Presence track payload must be a map" });
    }
    if (JSON.stringify(meta ?? {}).length > MOST_TRACKED) {
      return outlet.reply(ref, "error", { reason: "Presence payload is too large" });
    }
    if (action === "track" && !this.#standing?.policies.presence) return outlet.reply(ref, "error", {});
    if (action === "track") {
      const presence = this.#presence ?? this.#joinPresence();
      if (!presence.track((meta ?? {}) as Record<string, unknown>)) {
        return outlet.reply(ref, "error", { reason: "PresenceRateLimitReached: The room is full" });
      }
    }
    if (action === "untrack") this.#presence?.untrack();
    const isKnown = action === "track" || action === "untrack";
    outlet.reply(ref, isKnown ? "ok" : "error", {});
  }

  #joinPresence(): PresenceHandle {
    const { outlet } = this.#options;
    const maySee = () => this.#standing?.policies.readPresence;
    const member = { onDiff: (diff: PresenceDiff) => void (maySee() && outlet.push("presence_diff", diff)) };
    const key = this.#config.presence?.key || crypto.randomUUID();
    this.#presence = this.#deps.presence.join(this.#room, key, member);
    if (maySee()) outlet.push("presence_state", this.#presence.state());
    return this.#presence;
  }

  #shutDown(message: string): void {
    if (this.#closed) return;
    this.#options.outlet.pushSystem("system", "error", message);
    this.#options.onClosed();
    this.#options.outlet.pushClosed();
  }
}

const isMap = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

const after = <T>(milliseconds: number, value: T) =>
  new Promise<T>((resolve) => setTimeout(() => resolve(value), milliseconds).unref());
