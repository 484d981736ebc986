// /object: parse, call, reply. Literal routes come before `/:bucket/…`, so a bucket named `sign` or `public` is reached
// through /object/authenticated only, as on storage-api.
import { Hono } from "hono";
import { z } from "zod";
import { describeObject, respondWithObject } from "./download.ts";
import { noSuchKey } from "./errors.ts";
import type { ObjectStore } from "./object-store.ts";
import type { Objects } from "./objects.ts";
import { parse, placeOf, readJson, type StorageEnv } from "./requests.ts";
import { signedRoutes } from "./signed-routes.ts";
import type { SignedUrls } from "./signed-urls.ts";
import { decodeMetadata } from "./upload-body.ts";

type App = Hono<StorageEnv>;

const listing = z.object({
  prefix: z.string().default(""),
  limit: z.int().min(1).max(10_000).default(100),
  offset: z.int().min(0).default(0),
  search: z.string().default(""),
  sortBy: z
    .object({
      column: z.enum(["name", "updated_at", "created_at", "last_accessed_at"]).default("name"),
      order: z.enum(["asc", "desc"]).default("asc"),
    })
    .default({ column: "name", order: "asc" }),
});

const removal = z.object({ prefixes: z.array(z.string()).min(1).max(1000) });

const transfer = z.object({
  bucketId: z.string(),
  sourceKey: z.string(),
  destinationKey: z.string(),
  destinationBucket: z.string().optional(),
});

const copying = transfer.extend({
  copyMetadata: z.boolean().default(true),
  metadata: z.object({ cacheControl: z.string().optional(), mimetype: z.string().optional() }).optional(),
});

export function objectRoutes(objects: Objects, store: ObjectStore, signed: SignedUrls): App {
  const app = new Hono<StorageEnv>();

  app.route("/", signedRoutes(objects, store, signed));
  addTransfers(app, objects);
  addDownloads(app, objects, store);
  addChanges(app, objects);
  return app;
}

function addTransfers(app: App, objects: Objects): void {
  app.post("/list/:bucket", async (c) => {
    const { prefix, sortBy, ...rest } = parse(listing, await readJson(c));
    const folder = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
    const rows = await objects.list(c.env.context.claims, c.req.param("bucket"), {
      ...rest,
      ...sortBy,
      prefix: folder,
    });
    return c.json(rows);
  });

  app.post("/move", async (c) => {
    const input = parse(transfer, await readJson(c));
    await objects.move(c.env.context.claims, ...places(input));
    return c.json({ message: "Successfully moved" });
  });

  app.post("/copy", async (c) => {
    const input = parse(copying, await readJson(c));
    const [from, to] = places(input);
    const header = c.req.header("x-metadata");
    const copy = await objects.copy(c.env.context.claims, from, to, {
      upsert: isUpsert(c.req.raw),
      metadata: input.copyMetadata ? undefined : input.metadata,
      userMetadata: input.copyMetadata || header === undefined ? undefined : decodeMetadata(header),
    });
    return c.json({ Id: copy.id, Key: `${to.bucket}/${to.name}`, ...copy });
  });
}

function addDownloads(app: App, objects: Objects, store: ObjectStore): void {
  app.get("/public/:bucket/:name{.+}", async (c) => {
    const object = await objects.findPublic(placeOf(c));
    return respondWithObject(store, object, c.req.raw, { download: c.req.query("download") });
  });

  app.get("/info/public/:bucket/:name{.+}", async (c) =>
    c.json(describeObject(await objects.findPublic(placeOf(c)))),
  );

  for (const path of ["/info/authenticated/:bucket/:name{.+}", "/info/:bucket/:name{.+}"] as const) {
    app.get(path, async (c) => c.json(describeObject(await objects.find(c.env.context.claims, placeOf(c)))));
  }

  for (const path of ["/authenticated/:bucket/:name{.+}", "/:bucket/:name{.+}"] as const) {
    app.get(path, async (c) => {
      const object = await objects.find(c.env.context.claims, placeOf(c));
      return respondWithObject(store, object, c.req.raw, { download: c.req.query("download") });
    });
  }
}

function addChanges(app: App, objects: Objects): void {
  app.on(["POST", "PUT"], "/:bucket/:name{.+}", async (c) => {
    const place = placeOf(c);
    const upsert = c.req.method === "PUT" || isUpsert(c.req.raw);
    const id = await objects.upload(c.env.context.claims, place, c.req.raw, upsert);
    return c.json({ Id: id, Key: `${place.bucket}/${place.name}` });
  });

  app.delete("/:bucket", async (c) => {
    const { prefixes } = parse(removal, await readJson(c));
    return c.json(await objects.remove(c.env.context.claims, c.req.param("bucket"), prefixes));
  });

  app.delete("/:bucket/:name{.+}", async (c) => {
    const { bucket, name } = placeOf(c);
    const removed = await objects.remove(c.env.context.claims, bucket, [name]);
    if (removed.length === 0) throw noSuchKey();
    return c.json({ message: "Successfully deleted" });
  });
}

const isUpsert = (request: Request) => request.headers.get("x-upsert") === "true";

const places = (input: z.infer<typeof transfer>) =>
  [
    { bucket: input.bucketId, name: input.sourceKey },
    { bucket: input.destinationBucket ?? input.bucketId, name: input.destinationKey },
  ] as const;
