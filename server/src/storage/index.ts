// The storage service: what storage-js requests under /storage/v1. Metadata and permissions in PostgreSQL, bytes in an object
// store. Hides routes, order of writes and wire format behind fetch.
import { Hono } from "hono";
import type { Clock } from "../platform/clock.ts";
import type { Service } from "../platform/http/context.ts";
import { ServiceError } from "../platform/errors.ts";
import { onFirstUse } from "../platform/on-first-use.ts";
import type { Log } from "../platform/log.ts";
import type { Database } from "../postgres/database.ts";
import { departed } from "../postgres/connections/turns.ts";
import { bucketRoutes } from "./bucket-routes.ts";
import { sweep, type Swept } from "./bytes/sweeper.ts";
import { startSweeping, type Sweeps } from "./bytes/sweeping.ts";
import { createBuckets } from "./buckets.ts";
import { accessDenied, isUnstorable, missingParameter, noRoom, render, unstorable } from "./errors.ts";
import { Pictures } from "./images/pictures.ts";
import { RenderCache } from "./images/render-cache.ts";
import { renderRoutes } from "./images/render-routes.ts";
import { Renderer } from "./images/renderer.ts";
import { objectRoutes } from "./object-routes.ts";
import type { ObjectStore } from "./bytes/object-store.ts";
import { Objects } from "./objects.ts";
import { versionsStill } from "./queries.ts";
import { resumableRoutes } from "./resumable/resumable-routes.ts";
import { UploadRecords } from "./resumable/upload-records.ts";
import type { StorageEnv } from "./requests.ts";
import { StoredBytes } from "./bytes/stored-bytes.ts";
import { createSignedUrls } from "./signed-urls.ts";

export { createDiskStore } from "./bytes/disk-store.ts";

export interface StorageDeps {
  readonly database: Database;
  readonly objectStore: ObjectStore;
  /** The project's JWT secret; signed addresses use a key derived from it. */
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Log;
  /** A folder only for rendered pictures; its contents may be deleted at any time. */
  readonly renders: string;
  /** A folder for unfinished uploads in parts. If it is on the objects' file system, they are never copied. */
  readonly uploads: string;
  /** Bytes of the largest object; defaults to 50 MB, the gateway's limit. */
  readonly maxObjectSize?: number;
}

const FIFTY_MEGABYTES = 50 * 1024 * 1024;

export interface StorageService extends Service {
  /** Removes everything that crashes and clients have left, as the schedule does. */
  sweep(): Promise<Swept & { readonly pictures: number; readonly uploads: number }>;
  close(): Promise<void>;
}

export function createStorage(deps: StorageDeps): StorageService {
  const { database, log } = deps;
  const limit = deps.maxObjectSize ?? FIFTY_MEGABYTES;
  const renders = new RenderCache(deps.renders);
  const bytes = new StoredBytes(deps.objectStore);
  const objectStore = forgetting(deps.objectStore, bytes, renders);
  const objects = new Objects(database, objectStore, limit);
  const signed = createSignedUrls(deps.secret, deps.clock);
  const records = new UploadRecords(deps.uploads);
  const sweeps = sweepsOf({ ...deps, objectStore }, renders, records);
  const stopSweeping = startSweeping(sweeps, log);
  const resumable = onFirstUse(async () => {
    const { ResumableUploads } = await import("./resumable/resumable-uploads.ts");
    return new ResumableUploads({ records, objects, store: objectStore, largest: limit, log });
  });
  const renderer = new Renderer();
  const pictures = new Pictures(objectStore, renders, renderer);
  const app = new Hono<StorageEnv>();

  app.route("/bucket", bucketRoutes(createBuckets(database, objectStore, limit)));
  app.route("/object", objectRoutes(objects, bytes, signed));
  app.route("/render/image", renderRoutes(objects, pictures, signed));
  app.route("/upload/resumable", resumableRoutes(resumable.get, signed));
  app.route("/cdn", cdnRoutes());
  app.get("/status", () => new Response());
  app.get("/version", () => new Response(VERSION));
  app.notFound((c) => noSuchRoute(c.req.raw));
  app.onError((error, c) => {
    if (error instanceof ServiceError) return render(error);
    if (isUnstorable(error)) return render(unstorable());
    const full = noRoom(error);
    if (full)
      log.error({ err: error, requestId: c.env.context.requestId }, "the disk of stored objects is full");
    if (full) return render(full);
    if (c.env.context.departure?.gone) return render(departed(), departed().status); // its body was cut off
    log.error({ err: error, requestId: c.env.context.requestId }, "storage request failed");
    return render(new ServiceError(500, "InternalError", "Internal server error"));
  });

  return {
    fetch: async (request, context) => app.fetch(request, { context }),
    renderError: (error) =>
      ["token_expired", "invalid_token"].includes(error.code)
        ? render(accessDenied(error.message))
        : render(error, error.status),
    sweep: async () => ({
      ...(await sweeps.bytes()),
      pictures: await sweeps.pictures(),
      uploads: await sweeps.uploads(),
    }),
    async close() {
      stopSweeping();
      renderer.close();
    },
  };
}

const noSuchRoute = ({ method, url }: Request) =>
  Response.json(
    {
      statusCode: "404",
      error: "Not Found",
      message: `Route ${method}:${new URL(url).pathname} not found`,
    },
    { status: 404 },
  );

const sweepsOf = (
  { database, objectStore, clock }: StorageDeps,
  renders: RenderCache,
  records: UploadRecords,
): Sweeps => ({
  bytes: () => sweep(database, objectStore, clock.now()),
  pictures: () => renders.sweep((versions) => versionsStill(database, versions)),
  uploads: () => records.sweep(clock.now()),
});

/** The version of storage-api that these responses follow. */
const VERSION = "1.61.0";

/** Everything derived from or cached for a removed or overwritten object goes with its bytes. */
const forgetting = (store: ObjectStore, bytes: StoredBytes, renders: RenderCache): ObjectStore => ({
  put: (version, body) => store.put(version, body),
  adopt: (version, path) => store.adopt(version, path),
  read: (version, range) => store.read(version, range),
  has: (version) => store.has(version),
  copy: (from, to) => store.copy(from, to),
  list: (prefix) => store.list(prefix),
  isOurs: () => store.isOurs(),
  removeHalves: (before) => store.removeHalves(before),
  async remove(versions) {
    await store.remove(versions);
    bytes.forget(versions);
    await renders.forget(versions);
  },
});

/** There is no cache between this service and its callers to purge; the wording is storage-api's. */
function cdnRoutes() {
  const app = new Hono<StorageEnv>();
  app.delete("*", () => {
    throw missingParameter("CDN_PURGE_ENDPOINT_URL is not set");
  });
  return app;
}
