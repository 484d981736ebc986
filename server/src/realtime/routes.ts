// Broadcasts over HTTP, for senders without a socket: several at once, or one with its topic and event in the address.
import { type Context, Hono } from "hono";
import { z } from "zod";
import type { ServiceContext } from "../platform/context.ts";
import type { Database } from "../postgres/database.ts";
import type { Fanout } from "./fanout.ts";
import type { BroadcastBody } from "./protocol.ts";
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

export function broadcastRoutes(database: Database, fanout: Fanout) {
  const app = new Hono<RealtimeEnv>();

  /** What a policy forbids is dropped in silence, as over a socket. */
  async function publish(
    c: Context<RealtimeEnv>,
    topic: string,
    isPrivate: boolean,
    event: string,
    body: BroadcastBody,
  ) {
    const { claims } = c.env.context;
    if (isPrivate && !(await channelPolicies(database, claims, topic)).broadcast) return;
    fanout.publish({ topic: `realtime:${topic}`, private: isPrivate }, { event, body });
  }

  app.post("/api/broadcast", async (c) => {
    const parsed = batch.safeParse(await c.req.json().catch(() => undefined));
    if (!parsed.success) return c.json({ errors: z.flattenError(parsed.error).fieldErrors }, 422);
    for (const message of parsed.data.messages) {
      const body = { json: JSON.stringify(message.payload ?? {}) };
      await publish(c, message.topic, message.private ?? false, message.event, body);
    }
    return c.body(null, 202);
  });

  app.post("/api/broadcast/:topic/events/:event", async (c) => {
    const isBinary = c.req.header("content-type")?.startsWith("application/octet-stream") ?? false;
    const bytes = Buffer.from(await c.req.arrayBuffer());
    const body: BroadcastBody = isBinary ? { bytes } : { json: bytes.toString("utf8") };
    if ("json" in body && !isJson(body.json)) return c.json({ message: "Payload is not JSON" }, 422);
    await publish(c, c.req.param("topic"), c.req.query("private") === "true", c.req.param("event"), body);
    return c.body(null, 202);
  });

  return app;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
