// /object: parse, call, answer. Literal routes come before `/:bucket/…`, so a bucket named `sign` or `public` is reached
// through /object/authenticated only, as on storage-api.
import { type Context, Hono } from "hono";
import { z } from "zod";
import { describeObject, respondWithObject } from "./download.ts";
import { noSuchKey } from "./errors.ts";
import type { StoredBytes } from "./bytes/stored-bytes.ts";
import { isHeaderText } from "./names.ts";
import type { Found, Objects } from "./objects.ts";
import { callerOf, parse, placeOf, readJson, type StorageEnv } from "./requests.ts";
import { signedRoutes } from "./signed-routes.ts";
import type { SignedUrls } from "./signed-urls.ts";
import { decodeMetadata } from "./upload-body.ts";

type App = Hono<StorageEnv>;

/** Without versioning there are no noncurrent versions or delete markers: `include` adds nothing, and `only` finds nothing. */
const versions = {
  noncurrentVersions: z.enum(["exclude", "include", "only"]).default("exclude"),
  deleteMarkers: z.enum(["exclude", "include", "only"]).default("exclude"),
};
const leavesNothing = (asked: { noncurrentVersions: string; deleteMarkers: string }) =>
  [asked.noncurrentVersions, asked.deleteMarkers].includes("only");

const listing = z.object({
  ...versions,
  prefix: z.string().default(""),
  exactMatch: z.boolean().default(false),
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

const paging = z.object({
  ...versions,
  prefix: z.string().default(""),
  limit: z
    .int()
    .min(1)
    .default(1000)
    .transform((limit) => Math.min(limit, 1000)),
  cursor: z.string().optional(),
  with_delimiter: z.boolean().default(false),
  exactMatch: z.boolean().default(false),
  sortBy: z
    .object({
      column: z.enum(["name", "updated_at", "created_at"]),
      order: z.enum(["asc", "desc"]).default("asc"),
    })
    .default({ column: "name", order: "asc" }),
});

const exactly = z.object({ path: z.string(), versionId: z.string() });
const removal = z.object({
  prefixes: z
    .array(z.union([z.string(), exactly]))
    .min(1)
    .max(1000),
});

const transfer = z.object({
  bucketId: z.string(),
  sourceKey: z.string(),
  sourceVersionId: z.string().optional(),
  destinationKey: z.string(),
  destinationBucket: z.string().optional(),
});

const headerText = z.string().refine(isHeaderText, "must be text that a header can hold");

const copying = transfer.extend({
  copyMetadata: z.boolean().default(true),
  metadata: z
    .object({
      cacheControl: headerText.optional(),
      /** Empty text removes it. */
      contentEncoding: headerText.transform((text) => text || undefined).optional(),
      mimetype: headerText.optional(),
    })
    .optional(),
});

export function objectRoutes(objects: Objects, bytes: StoredBytes, signed: SignedUrls): App {
  const app = new Hono<StorageEnv>();

  app.route("/", signedRoutes(objects, bytes, signed));
  addTransfers(app, objects);
  addDownloads(app, objects, bytes);
  addChanges(app, objects);
  return app;
}

function addTransfers(app: App, objects: Objects): void {
  app.post("/list/:bucket", async (c) => {
    const asked = parse(listing, await readJson(c));
    if (leavesNothing(asked)) return c.json([]);
    const { prefix, sortBy, limit, offset, search, exactMatch } = asked;
    const isFolder = prefix === "" || prefix.endsWith("/");
    const rows = await objects.list(callerOf(c), c.req.param("bucket"), {
      ...{ ...sortBy, limit, offset, search },
      prefix: exactMatch || isFolder ? prefix : `${prefix}/`,
      exact: exactMatch,
    });
    return c.json(rows);
  });

  app.post("/list-v2/:bucket", async (c) => {
    const page = parse(paging, await readJson(c));
    if (leavesNothing(page)) return c.json({ hasNext: false, folders: [], objects: [] });
    return c.json(await objects.listPage(callerOf(c), c.req.param("bucket"), page));
  });

  app.post("/move", async (c) => {
    const input = parse(transfer, await readJson(c));
    await objects.move(callerOf(c), ...places(input));
    return c.json({ message: "Successfully moved" });
  });

  app.post("/copy", async (c) => {
    const input = parse(copying, await readJson(c));
    const [from, to] = places(input);
    const header = c.req.header("x-metadata");
    const copy = await objects.copy(callerOf(c), from, to, {
      upsert: isUpsert(c.req.raw),
      instead: input.copyMetadata
        ? undefined
        : {
            metadata: input.metadata,
            userMetadata: header === undefined ? undefined : decodeMetadata(header),
          },
    });
    return c.json({ Id: copy.id, Key: `${to.bucket}/${to.name}`, ...copy });
  });
}

function addDownloads(app: App, objects: Objects, bytes: StoredBytes): void {
  const send = (c: Context<StorageEnv>, { object }: Found) =>
    respondWithObject(bytes, object, c.req.raw, { download: c.req.query("download") });

  app.get("/public/:bucket/:name{.+}", async (c) => send(c, await objects.findPublic(placeOf(c))));

  app.get("/info/public/:bucket/:name{.+}", async (c) =>
    describeObject((await objects.findPublic(placeOf(c))).object),
  );

  for (const path of ["/info/authenticated/:bucket/:name{.+}", "/info/:bucket/:name{.+}"] as const) {
    app.get(path, async (c) => describeObject((await objects.find(callerOf(c), placeOf(c))).object));
  }

  for (const path of ["/authenticated/:bucket/:name{.+}", "/:bucket/:name{.+}"] as const) {
    app.get(path, async (c) => send(c, await objects.find(callerOf(c), placeOf(c))));
  }
}

function addChanges(app: App, objects: Objects): void {
  app.on(["POST", "PUT"], "/:bucket/:name{.+}", async (c) => {
    const place = placeOf(c);
    const upsert = c.req.method === "PUT" || isUpsert(c.req.raw);
    const id = await objects.upload(callerOf(c), place, c.req.raw, upsert);
    return c.json({ Id: id, Key: `${place.bucket}/${place.name}` });
  });

  app.delete("/:bucket", async (c) => {
    const { prefixes } = parse(removal, await readJson(c));
    const names = prefixes.map((one) => (typeof one === "string" ? one : one.path));
    const versions = prefixes.flatMap((one) =>
      typeof one === "string" ? [] : [[one.path, one.versionId] as const],
    );
    const bucket = c.req.param("bucket");
    return c.json(await objects.remove(callerOf(c), bucket, names, Object.fromEntries(versions)));
  });

  app.delete("/:bucket/:name{.+}", async (c) => {
    const { bucket, name } = placeOf(c);
    const removed = await objects.remove(callerOf(c), bucket, [name]);
    if (removed.length === 0) throw noSuchKey();
    return c.json({ message: "Successfully deleted" });
  });
}

const isUpsert = (request: Request) => request.headers.get("x-upsert") === "true";

const places = (input: z.infer<typeof transfer>) =>
  [
    { bucket: input.bucketId, name: input.sourceKey, version: input.sourceVersionId },
    { bucket: input.destinationBucket ?? input.bucketId, name: input.destinationKey },
  ] as const;
