// /bucket: parse, call, answer.
import { Hono } from "hono";
import { z } from "zod";
import type { Buckets } from "./buckets.ts";
import { featureNotEnabled } from "./errors.ts";
import { callerOf, parse, parseQuery, readJson, type StorageEnv } from "./requests.ts";

const settings = z.object({
  versioning_status: z.enum(["DISABLED", "ENABLED", "SUSPENDED"]).optional(),
  public: z.boolean().optional(),
  file_size_limit: z.union([z.int().min(0), z.string()]).nullish(),
  allowed_mime_types: z.array(z.string()).nullish(),
});

const newBucket = settings.extend({
  name: z.string(),
  id: z.string().optional(),
  type: z.enum(["STANDARD", "ANALYTICS"]).optional(),
});

function refuseVersioning({ versioning_status: status = "DISABLED" }: z.infer<typeof settings>): void {
  if (status !== "DISABLED") throw featureNotEnabled("versioning");
}

const listing = z.object({
  limit: z.coerce.number().int().min(0).optional(),
  offset: z.coerce.number().int().min(0).default(0),
  search: z.string().default(""),
  sortColumn: z.enum(["id", "name", "created_at", "updated_at"]).default("name"),
  sortOrder: z.enum(["asc", "desc"]).default("asc"),
});

export function bucketRoutes(buckets: Buckets) {
  const app = new Hono<StorageEnv>();

  app.get("/", async (c) => {
    const query = parseQuery(listing, c);
    return c.json(
      await buckets.list(callerOf(c), {
        search: query.search,
        column: query.sortColumn,
        order: query.sortOrder,
        limit: query.limit ?? null,
        offset: query.offset,
      }),
    );
  });

  app.post("/", async (c) => {
    const { name, id, type, ...input } = parse(newBucket, await readJson(c));
    if (type === "ANALYTICS") throw featureNotEnabled("analytics");
    refuseVersioning(input);
    return c.json(await buckets.create(callerOf(c), id ?? name, input));
  });

  app.get("/:id", async (c) => c.json(await buckets.get(callerOf(c), c.req.param("id"))));

  app.put("/:id", async (c) => {
    const input = parse(settings, await readJson(c));
    refuseVersioning(input);
    await buckets.update(callerOf(c), c.req.param("id"), input);
    return c.json({ message: "Successfully updated" });
  });

  app.on(["GET", "PUT", "DELETE"], "/:id/lifecycle", () => {
    throw featureNotEnabled("versioning");
  });

  app.post("/:id/empty", async (c) => {
    await buckets.empty(callerOf(c), c.req.param("id"));
    return c.json({ message: "Empty bucket has been queued. Completion may take up to an hour." });
  });

  app.delete("/:id", async (c) => {
    await buckets.remove(callerOf(c), c.req.param("id"));
    return c.json({ message: "Successfully deleted" });
  });

  return app;
}
