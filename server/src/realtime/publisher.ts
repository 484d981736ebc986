// Broadcasts without a socket: checks what a caller may send, and passes it to the rooms.
import type { ServiceContext } from "../platform/http/context.ts";
import { ServiceError } from "../platform/errors.ts";
import type { Database } from "../postgres/database.ts";
import { AccessError } from "./access.ts";
import type { AddressOf } from "./limits/addresses.ts";
import { publicPolicies } from "./channels/channel.ts";
import type { Fanout } from "./channels/fanout.ts";
import type { Broadcast, BroadcastBody } from "./sockets/protocol.ts";
import { channelPolicies } from "./queries.ts";

export interface PublisherDeps {
  readonly database: Database;
  readonly fanout: Fanout;
  readonly addressOf: AddressOf;
  /** Whether visitors without an account may broadcast on public channels. */
  readonly anonymousBroadcast: boolean;
  /** Bytes of one message. */
  readonly payload: number;
}

interface AddressedBroadcast extends Broadcast {
  /** Without the `realtime:` prefix. */
  readonly topic: string;
  readonly private: boolean;
}

/** Throws ServiceError beyond a limit. What a policy forbids is dropped silently, as over a socket. */
export type Publish = (context: ServiceContext, broadcasts: readonly AddressedBroadcast[]) => Promise<void>;

/** Policies are checked once for each topic, in a separate transaction. */
const MOST_PRIVATE_TOPICS = 10;

export function createPublisher(deps: PublisherDeps): Publish {
  const { database, fanout, addressOf, anonymousBroadcast, payload } = deps;

  return async ({ claims, ip }, broadcasts) => {
    const isService = claims.role === "service_role";
    if (broadcasts.some(({ body }) => sizeOf(body) > payload)) throw tooLarge(payload);
    const address = addressOf(ip);
    if (!isService && !address.maySend(broadcasts.length)) throw tooManyMessages();
    // In turns, like joins: sign-in and functions use the same connections.
    const inTurn: typeof address.inTurn = isService ? (ask) => ask() : address.inTurn;
    const privateTopics = new Set(
      broadcasts.filter((broadcast) => broadcast.private).map(({ topic }) => topic),
    );
    if (privateTopics.size > MOST_PRIVATE_TOPICS && !isService) throw tooManyTopics();
    const allowed = new Set<string>();
    for (const topic of privateTopics) {
      const policies = await inTurn(() => channelPolicies(database, claims, topic)).catch(refuseCrowd);
      if (policies.broadcast) allowed.add(topic);
    }
    const mayBroadcastInPublic = publicPolicies(claims, anonymousBroadcast).broadcast;
    for (const { topic, private: isPrivate, event, body } of broadcasts) {
      if (isPrivate ? !allowed.has(topic) : !mayBroadcastInPublic) continue;
      fanout.publish({ topic: `realtime:${topic}`, private: isPrivate }, { event, body });
    }
  };
}

const sizeOf = (body: BroadcastBody): number =>
  "json" in body ? Buffer.byteLength(body.json) : body.bytes.byteLength;

const tooLarge = (most: number) =>
  new ServiceError(413, "payload_too_large", `A broadcast may have at most ${most} bytes.`);

const tooManyMessages = () => new ServiceError(429, "too_many_messages", "You have exceeded your rate limit");

/** Too many checks of the address are waiting. */
const refuseCrowd = (error: unknown): never => {
  throw error instanceof AccessError ? tooManyMessages() : error;
};

const tooManyTopics = () =>
  new ServiceError(
    422,
    "too_many_topics",
    `One call may broadcast on ${MOST_PRIVATE_TOPICS} private topics.`,
  );
