// /render/image: objects as transformed pictures, for everybody, for those to whom the policies show them, and for holders of a signed
// address.
import { type Context, Hono } from "hono";
import { respondWith } from "../download.ts";
import { FOR_HOLDERS, type Found, type Objects } from "../objects.ts";
import { callerOf, parseQuery, placeOf, requireToken, type StorageEnv } from "../requests.ts";
import { granted, type SignedUrls } from "../signed-urls.ts";
import type { Pictures } from "./pictures.ts";
import { fromDescription, inImgproxysWords, type Transformation, transformation } from "./transformation.ts";

export function renderRoutes(objects: Objects, pictures: Pictures, signed: SignedUrls) {
  const app = new Hono<StorageEnv>();

  const answer = async (
    c: Context<StorageEnv>,
    { object, bucket }: Found,
    options: Transformation,
    expires?: number,
  ) => {
    const accept = c.req.header("accept") ?? "";
    const { ip: address } = c.env.context;
    const made = await pictures.of(object, {
      ...{ options, accept, address },
      bucketLikesAvif: bucket.avif_autodetection,
    });
    const said = inImgproxysWords(options);
    return respondWith(
      {
        size: made.bytes.length,
        mimetype: `image/${made.format}`,
        // Each transformation is a separate representation: one tag for all would make caches mix them up.
        eTag: `${object.metadata!.eTag.slice(0, -1)}-${made.tag}"`,
        lastModified: object.metadata!.lastModified,
        cacheControl: object.metadata!.cacheControl,
        headers: {
          ...(options.format ? {} : { vary: "accept" }),
          ...(said ? { "x-transformations": said } : {}),
        },
        read: async (range) => (range ? made.bytes.subarray(range.start, range.end + 1) : made.bytes),
      },
      c.req.raw,
      { download: c.req.query("download"), ...(expires === undefined ? {} : { expires }) },
    );
  };

  app.get("/public/:bucket/:name{.+}", async (c) => {
    const options = parseQuery(transformation, c);
    return answer(c, await objects.findPublic(placeOf(c)), options);
  });

  app.get("/authenticated/:bucket/:name{.+}", async (c) => {
    const options = parseQuery(transformation, c);
    return answer(c, await objects.find(callerOf(c), placeOf(c)), options);
  });

  app.get("/sign/:bucket/:name{.+}", async (c) => {
    const place = placeOf(c);
    const grant = await signed.verifyRead(requireToken(c.req.query("token")), place);
    const options = fromDescription(grant.transformations ?? "", grant.format);
    return answer(c, await objects.findUnchecked(granted(place, grant), FOR_HOLDERS), options, grant.exp);
  });

  return app;
}
