// /object/sign and /object/upload/sign: creating and using addresses that need no session.
import { Hono } from "hono";
import { z } from "zod";
import { respondWithObject } from "./download.ts";
import { invalidSignature, slowDown } from "./errors.ts";
import { createShares } from "../platform/shares.ts";
import { describe, transformation } from "./images/transformation.ts";
import type { StoredBytes } from "./bytes/stored-bytes.ts";
import { FOR_HOLDERS, type Objects } from "./objects.ts";
import { callerOf, holderOf, parse, placeOf, readJson, requireToken, type StorageEnv } from "./requests.ts";
import { granted, pathOf, type ReadGrant, type SignedUrls } from "./signed-urls.ts";

type App = Hono<StorageEnv>;

/** Seconds: dates end beyond a hundred thousand years. */
const expiresIn = z.int().min(1).max(3_000_000_000_000);

/** Simultaneous uploads to one signed address: only one becomes the object, and each occupies disk meanwhile. */
const UPLOADS_AT_ONCE = 2;
const one = z.object({ expiresIn, transform: transformation.default({}), versionId: z.string().optional() });
const many = z.object({ expiresIn, paths: z.array(z.string()).min(1).max(1000) });

export function signedRoutes(objects: Objects, bytes: StoredBytes, signed: SignedUrls): App {
  const app = new Hono<StorageEnv>();
  addReading(app, objects, bytes, signed);
  addUploads(app, objects, signed);
  return app;
}

function addReading(app: App, objects: Objects, bytes: StoredBytes, signed: SignedUrls): void {
  /** An address of a transformed picture opens that picture and not the object. */
  const addressFor = async (grant: ReadGrant, seconds: number) => {
    const door = grant.transformations ? "render/image" : "object";
    return `/${door}/sign/${grant.url}?token=${await signed.signRead(grant, seconds)}`;
  };

  app.post("/sign/:bucket", async (c) => {
    const bucket = c.req.param("bucket");
    const input = parse(many, await readJson(c));
    const visible = await objects.visibleNames(callerOf(c), bucket, input.paths);
    return c.json(
      await Promise.all(
        input.paths.map(async (path) =>
          visible.has(path)
            ? {
                error: null,
                path,
                signedURL: await addressFor({ url: `${bucket}/${path}` }, input.expiresIn),
              }
            : {
                error: "Either the object does not exist or you do not have access to it",
                path,
                signedURL: null,
              },
        ),
      ),
    );
  });

  app.post("/sign/:bucket/:name{.+}", async (c) => {
    const place = placeOf(c);
    const input = parse(one, await readJson(c));
    await objects.find(callerOf(c), { ...place, version: input.versionId });
    const transformations = describe(input.transform);
    const { format } = input.transform;
    const grant = {
      url: pathOf(place),
      ...(input.versionId === undefined ? {} : { version: input.versionId }),
      ...(transformations ? { transformations, ...(format ? { format } : {}) } : {}),
    };
    return c.json({ signedURL: await addressFor(grant, input.expiresIn) });
  });

  app.get("/sign/:bucket/:name{.+}", async (c) => {
    const place = placeOf(c);
    const grant = await signed.verifyRead(requireToken(c.req.query("token")), place);
    if (grant.transformations) throw invalidSignature();
    const { object } = await objects.findUnchecked(granted(place, grant), FOR_HOLDERS);
    return respondWithObject(bytes, object, c.req.raw, {
      download: c.req.query("download"),
      expires: grant.exp,
    });
  });
}

function addUploads(app: App, objects: Objects, signed: SignedUrls): void {
  const underWay = createShares(UPLOADS_AT_ONCE);

  app.post("/upload/sign/:bucket/:name{.+}", async (c) => {
    const place = placeOf(c);
    const { claims } = c.env.context;
    const upsert = c.req.header("x-upsert") === "true";
    await objects.requireWritable(callerOf(c), place, upsert);
    const url = pathOf(place);
    const token = await signed.signUpload({ url, upsert, ...(claims.sub ? { owner: claims.sub } : {}) });
    return c.json({ url: `/object/upload/sign/${url}?token=${token}`, token });
  });

  app.put("/upload/sign/:bucket/:name{.+}", async (c) => {
    const place = placeOf(c);
    const grant = await signed.verifyUpload(requireToken(c.req.query("token")), place);
    const release = underWay.of(pathOf(place)).hold(1);
    if (!release) throw slowDown();
    try {
      await objects.upload(holderOf(c, grant), place, c.req.raw, grant.upsert);
    } finally {
      release();
    }
    return c.json({ Key: pathOf(place) });
  });
}
