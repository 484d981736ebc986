// /upload/resumable: identifies the sender, then calls the TUS library.
import { Hono } from "hono";
import { invalidSignature } from "../errors.ts";
import { callerOf, holderOf, type StorageEnv } from "../requests.ts";
import type { SignedUrls } from "../signed-urls.ts";
import type { ResumableUploads } from "./resumable-uploads.ts";

/** Where clients find this service. */
const PREFIX = "/storage/v1";

export function resumableRoutes(uploads: () => Promise<ResumableUploads>, signed: SignedUrls) {
  const app = new Hono<StorageEnv>();

  for (const path of ["/sign", "/sign/:id"]) {
    app.all(path, async (c) => {
      const token = c.req.header("x-signature");
      return (await uploads()).fetch(c.req.raw, {
        caller: callerOf(c),
        upsert: false,
        prefix: PREFIX,
        verify: async (place) => {
          if (!token) throw invalidSignature("Missing x-signature header");
          const grant = await signed.verifyUpload(token, place);
          return { grant, caller: holderOf(c, grant) };
        },
      });
    });
  }

  for (const path of ["/", "/:id"]) {
    app.all(path, async (c) =>
      (await uploads()).fetch(c.req.raw, {
        caller: callerOf(c),
        upsert: c.req.header("x-upsert") === "true",
        prefix: PREFIX,
      }),
    );
  }

  return app;
}
