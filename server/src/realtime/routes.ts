// Broadcasts over HTTP, for senders without a socket: several at once, or one with its topic and event in the address.
import { mediaTypeOf } from "contract/media-types";
import { Hono } from "hono";
import { z } from "zod";
import type { ServiceContext } from "../platform/http/context.ts";
import { ServiceError } from "../platform/errors.ts";
import type { Log } from "../platform/log.ts";
import { isStorableJson } from "../platform/http/storable.ts";
import { NOT_STORED } from "./channels/channel.ts";
import type { BroadcastBody } from "./sockets/protocol.ts";
import type { Publish } from "./publisher.ts";

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

export function createRoutes(publish: Publish, log: Log): Hono<RealtimeEnv> {
  const app = new Hono<RealtimeEnv>();

  app.post("/api/broadcast", async (c) => {
    const text = await c.req.text();
    const parsed = batch.safeParse(isStorableJson(text) ? parsedJson(text) : undefined);
    if (!parsed.success) return c.json({ errors: z.flattenError(parsed.error).fieldErrors }, 422);
    const broadcasts = parsed.data.messages.map(({ topic, event, payload, private: isPrivate }) => ({
      ...{ topic, event, private: isPrivate ?? false },
      body: { json: JSON.stringify(payload ?? {}) },
    }));
    await publish(c.env.context, broadcasts);
    return c.body(null, 202);
  });

  app.post("/api/broadcast/:topic/events/:event", async (c) => {
    const type = mediaTypeOf(c.req.raw);
    const isBinary = type === "application/octet-stream";
    if (!isBinary && type !== "application/json") return c.json({ message: "Unsupported Media Type" }, 415);
    if (["persist", "persist[ttl]"].some((name) => c.req.query(name) !== undefined))
      return c.json({ message: NOT_STORED }, 422);
    const bytes = Buffer.from(await c.req.arrayBuffer());
    const body: BroadcastBody = isBinary ? { bytes } : { json: bytes.toString("utf8") };
    if ("json" in body && parsedJson(body.json) === undefined)
      return c.json({ message: "Payload is not JSON" }, 422);
    const [topic, event] = [c.req.param("topic"), c.req.param("event")];
    await publish(c.env.context, [{ topic, private: c.req.query("private") === "true", event, body }]);
    return c.body(null, 202);
  });

  app.notFound((c) => c.json({ message: "Not found" }, 404));
  app.onError((error, c) => {
    if (error instanceof ServiceError) return renderError(error);
    log.error({ err: error, requestId: c.env.context.requestId }, "realtime request failed");
    return c.json({ message: "Internal server error" }, 500);
  });
  return app;
}

export const renderError = (error: ServiceError) =>
  Response.json({ message: error.message }, { status: error.status });

/** Undefined if it is not JSON. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
