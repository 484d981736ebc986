// Broadcasts over HTTP, for senders without a socket: several at once, or one with its topic and event in the address.
import { Hono } from "hono";
import { z } from "zod";
import type { ServiceContext } from "../platform/context.ts";
import { ServiceError } from "../platform/errors.ts";
import type { Database } from "../postgres/database.ts";
import { publicPolicies } from "./channel.ts";
import type { Fanout } from "./fanout.ts";
import type { Broadcast, BroadcastBody } from "./protocol.ts";
import { channelPolicies } from "./queries.ts";

export type RealtimeEnv = { Bindings: { context: ServiceContext } };

const batch = z.object({
  messages: z
    .array(
      z.object({
        topic: z.string().min(1),
        event: z.string().min(1),
        payload: z.unknown(),
        private: z.boolean().nullish(),
      }),
    )
    .min(1)
    .max(1000),
});

/** Each asks the policies once, in a transaction of its own. */
const MOST_PRIVATE_TOPICS = 10;

export interface Speech {
  /** Whether visitors without an account may speak on public channels. */
  readonly anonymous: boolean;
  /** Of one message. */
  readonly mostBytes: number;
}

interface Said extends Broadcast {
  readonly topic: string;
  readonly private: boolean;
}

export function broadcastRoutes(
  database: Database,
  fanout: Fanout,
  speech: Speech,
  mayAddressSend: (address: string, cost: number) => boolean,
) {
  const app = new Hono<RealtimeEnv>();

  /** What a policy forbids is dropped in silence, as over a socket. */
  async function publish({ claims, ip }: ServiceContext, messages: readonly Said[]): Promise<void> {
    const isService = claims.role === "service_role";
    if (messages.some(({ body }) => sizeOf(body) > speech.mostBytes)) throw tooLarge(speech.mostBytes);
    if (!isService && !mayAddressSend(ip, messages.length)) throw tooManyMessages();
    const asked = new Set(messages.filter((message) => message.private).map(({ topic }) => topic));
    if (asked.size > MOST_PRIVATE_TOPICS && !isService) throw tooManyTopics();
    const allowed = new Set<string>();
    for (const topic of asked) {
      if ((await channelPolicies(database, claims, topic)).broadcast) allowed.add(topic);
    }
    const maySpeakInPublic = publicPolicies(claims, speech.anonymous).broadcast;
    for (const { topic, private: isPrivate, event, body } of messages) {
      if (isPrivate ? !allowed.has(topic) : !maySpeakInPublic) continue;
      fanout.publish({ topic: `realtime:${topic}`, private: isPrivate }, { event, body });
    }
  }

  app.post("/api/broadcast", async (c) => {
    const parsed = batch.safeParse(await c.req.json().catch(() => undefined));
    if (!parsed.success) return c.json({ errors: z.flattenError(parsed.error).fieldErrors }, 422);
    const messages = parsed.data.messages.map(({ topic, event, payload, private: isPrivate }) => ({
      ...{ topic, event, private: isPrivate ?? false },
      body: { json: JSON.stringify(payload ?? {}) },
    }));
    await publish(c.env.context, messages);
    return c.body(null, 202);
  });

  app.post("/api/broadcast/:topic/events/:event", async (c) => {
    const isBinary = c.req.header("content-type")?.startsWith("application/octet-stream") ?? false;
    const bytes = Buffer.from(await c.req.arrayBuffer());
    const body: BroadcastBody = isBinary ? { bytes } : { json: bytes.toString("utf8") };
    if ("json" in body && !isJson(body.json)) return c.json({ message: "Payload is not JSON" }, 422);
    await publish(c.env.context, [
      {
        topic: c.req.param("topic"),
        private: c.req.query("private") === "true",
        event: c.req.param("event"),
        body,
      },
    ]);
    return c.body(null, 202);
  });

  return app;
}

const sizeOf = (body: BroadcastBody): number =>
  "json" in body ? Buffer.byteLength(body.json) : body.bytes.byteLength;

const tooLarge = (most: number) =>
  new ServiceError(413, "payload_too_large", `A broadcast may have ${most} bytes.`);

const tooManyMessages = () => new ServiceError(429, "too_many_messages", "Too many messages per second");

const tooManyTopics = () =>
  new ServiceError(422, "too_many_topics", `One call may speak on ${MOST_PRIVATE_TOPICS} private topics.`);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
