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
import { isUnstorable, noTransforms, render, unstorable } from "./errors.ts";
import { objectRoutes } from "./object-routes.ts";
import type { ObjectStore } from "./object-store.ts";
import { Objects } from "./objects.ts";
import type { StorageEnv } from "./requests.ts";
import { createSignedUrls } from "./signed-urls.ts";

export { createDiskStore } from "./object-store.ts";

export interface StorageDeps {
  readonly database: Database;
  readonly objectStore: ObjectStore;
  /** The project's JWT secret; signed addresses use a key derived from it. */
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Bytes of the largest object; defaults to 50 MB, the gateway's limit. */
  readonly maxObjectSize?: number;
}

const FIFTY_MEGABYTES = 50 * 1024 * 1024;

export function createStorage(deps: StorageDeps): Service {
  const { database, objectStore, log } = deps;
  const limit = deps.maxObjectSize ?? FIFTY_MEGABYTES;
  const objects = new Objects(database, objectStore, limit);
  const app = new Hono<StorageEnv>();

  app.route("/bucket", bucketRoutes(createBuckets(database, objectStore, limit)));
  app.route("/object", objectRoutes(objects, objectStore, createSignedUrls(deps.secret, deps.clock)));
  app.all("/render/image/*", () => render(noTransforms(), 403));
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
    renderError: (error) => render(error, error.status),
  };
}
