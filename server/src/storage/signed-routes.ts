// /object/sign and /object/upload/sign: making and using addresses that need no session.
import { Hono } from "hono";
import { z } from "zod";
import { respondWithObject } from "./download.ts";
import { invalidRequest } from "./errors.ts";
import type { ObjectStore } from "./object-store.ts";
import type { Objects } from "./objects.ts";
import { parse, placeOf, readJson, type StorageEnv } from "./requests.ts";
import type { SignedUrls } from "./signed-urls.ts";

type App = Hono<StorageEnv>;

const expiresIn = z.int().min(1);
const one = z.object({ expiresIn });
const many = z.object({ expiresIn, paths: z.array(z.string()).min(1).max(1000) });

export function signedRoutes(objects: Objects, store: ObjectStore, signed: SignedUrls): App {
  const app = new Hono<StorageEnv>();
  addReading(app, objects, store, signed);
  addUploads(app, objects, signed);
  return app;
}

function addReading(app: App, objects: Objects, store: ObjectStore, signed: SignedUrls): void {
  const readAddress = async (path: string, seconds: number) =>
    `/object/sign/${path}?token=${await signed.signRead(path, seconds)}`;

  app.post("/sign/:bucket", async (c) => {
    const bucket = c.req.param("bucket");
    const input = parse(many, await readJson(c));
    const visible = await objects.visibleNames(c.env.context.claims, bucket, input.paths);
    return c.json(
      await Promise.all(
        input.paths.map(async (path) =>
          visible.has(path)
            ? { error: null, path, signedURL: await readAddress(`${bucket}/${path}`, input.expiresIn) }
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
    await objects.find(c.env.context.claims, place);
    return c.json({ signedURL: await readAddress(`${place.bucket}/${place.name}`, input.expiresIn) });
  });

  app.get("/sign/:bucket/:name{.+}", async (c) => {
    const place = placeOf(c);
    const grant = await signed.verifyRead(
      requireToken(c.req.query("token")),
      `${place.bucket}/${place.name}`,
    );
    const object = await objects.findUnchecked(place, "the signature opens exactly this object");
    return respondWithObject(store, object, c.req.raw, {
      download: c.req.query("download"),
      expires: grant.exp,
    });
  });
}

function addUploads(app: App, objects: Objects, signed: SignedUrls): void {
  app.post("/upload/sign/:bucket/:name{.+}", async (c) => {
    const place = placeOf(c);
    const { claims } = c.env.context;
    const upsert = c.req.header("x-upsert") === "true";
    await objects.requireWritable(claims, place, upsert);
    const url = `${place.bucket}/${place.name}`;
    const token = await signed.signUpload({ url, upsert, ...(claims.sub ? { owner: claims.sub } : {}) });
    return c.json({ url: `/object/upload/sign/${url}?token=${token}`, token });
  });

  app.put("/upload/sign/:bucket/:name{.+}", async (c) => {
    const place = placeOf(c);
    const url = `${place.bucket}/${place.name}`;
    const grant = await signed.verifyUpload(requireToken(c.req.query("token")), url);
    // The permission was checked when the address was signed; the owner is whoever asked for it.
    const claims = { role: "service_role", ...(grant.owner ? { sub: grant.owner } : {}) };
    await objects.upload(claims, place, c.req.raw, grant.upsert);
    return c.json({ Key: url });
  });
}

function requireToken(token: string | undefined): string {
  if (!token) throw invalidRequest("querystring must have required property 'token'");
  return token;
}
