// The storage service: what storage-js asks under /storage/v1. Metadata and permission in PostgreSQL, bytes in an object
// store. Hides routes, order of writes and wire format behind fetch.
import { Hono } from "hono";
import type { Clock } from "../platform/clock.ts";
import type { Service } from "../platform/context.ts";
import { ServiceError } from "../platform/errors.ts";
import type { Log } from "../platform/log.ts";
import type { Database } from "../postgres/database.ts";
import { departed } from "../postgres/turns.ts";
import { bucketRoutes } from "./bucket-routes.ts";
import { createBuckets } from "./buckets.ts";
import { accessDenied, isUnstorable, missingParameter, render, unstorable } from "./errors.ts";
import { Pictures } from "./images/pictures.ts";
import { RenderCache } from "./images/render-cache.ts";
import { renderRoutes } from "./images/render-routes.ts";
import { Renderer } from "./images/renderer.ts";
import { objectRoutes } from "./object-routes.ts";
import type { ObjectStore } from "./bytes/object-store.ts";
import { Objects } from "./objects.ts";
import type { StorageEnv } from "./requests.ts";
import { createSignedUrls } from "./signed-urls.ts";

export { createDiskStore } from "./bytes/object-store.ts";

export interface StorageDeps {
  readonly database: Database;
  readonly objectStore: ObjectStore;
  /** The project's JWT secret; signed addresses use a key derived from it. */
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Log;
  /** A folder of its own for pictures that were made of objects; what is in it may go at any time. */
  readonly renders: string;
  /** Bytes of the largest object; defaults to 50 MB, the gateway's limit. */
  readonly maxObjectSize?: number;
}

const FIFTY_MEGABYTES = 50 * 1024 * 1024;

export interface StorageService extends Service {
  close(): Promise<void>;
}

export function createStorage(deps: StorageDeps): StorageService {
  const { database, log } = deps;
  const limit = deps.maxObjectSize ?? FIFTY_MEGABYTES;
  const renders = new RenderCache(deps.renders);
  const objectStore = forgettingRenders(deps.objectStore, renders);
  const objects = new Objects(database, objectStore, limit);
  const signed = createSignedUrls(deps.secret, deps.clock);
  const pictures = new Pictures(objectStore, renders, new Renderer());
  const app = new Hono<StorageEnv>();

  app.route("/bucket", bucketRoutes(createBuckets(database, objectStore, limit)));
  app.route("/object", objectRoutes(objects, objectStore, signed));
  app.route("/render/image", renderRoutes(objects, pictures, signed));
  app.route("/cdn", cdnRoutes());
  app.get("/status", () => new Response());
  app.get("/version", () => new Response(VERSION));
  app.notFound((c) =>
    c.json(
      {
        statusCode: "404",
        error: "Not Found",
        message: `Route ${c.req.method}:${new URL(c.req.url).pathname} not found`,
      },
      404,
    ),
  );
  app.onError((error, c) => {
    if (error instanceof ServiceError) return render(error);
    if (isUnstorable(error)) return render(unstorable());
    if (c.env.context.departure?.gone) return render(departed(), departed().status); // its body broke off
    log.error({ err: error, requestId: c.env.context.requestId }, "storage request failed");
    return render(new ServiceError(500, "InternalError", "Internal server error"));
  });

  return {
    fetch: async (request, context) => app.fetch(request, { context }),
    renderError: (error) =>
      ["token_expired", "invalid_token"].includes(error.code)
        ? render(accessDenied(error.message))
        : render(error, error.status),
    close: async () => {},
  };
}

/** The version of storage-api whose answers these are. */
const VERSION = "1.61.0";

/** A removed or overwritten object's pictures go with its bytes. */
const forgettingRenders = (store: ObjectStore, renders: RenderCache): ObjectStore => ({
  ...store,
  async remove(versions) {
    await store.remove(versions);
    await renders.forget(versions);
  },
});

/** There is no cache between this service and its callers to purge, which storage-api says in these words. */
function cdnRoutes() {
  const app = new Hono<StorageEnv>();
  app.delete("*", () => {
    throw missingParameter("CDN_PURGE_ENDPOINT_URL is not set");
  });
  return app;
}
