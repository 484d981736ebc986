// How the routes read requests: the Hono environment, JSON bodies checked against a schema, and places from addresses.
import type { Context } from "hono";
import type { ZodType } from "zod";
import type { ServiceContext } from "../platform/context.ts";
import { isStorableJson } from "../platform/storable.ts";
import { invalidRequest, unstorable } from "./errors.ts";
import type { Place } from "./objects.ts";

export type StorageEnv = { Bindings: { context: ServiceContext } };

/** Throws InvalidRequest with the first thing that is wrong, named as storage-api names it. */
export function parse<T>(schema: ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  throw invalidRequest([["body", ...path].join("/"), message].join(" "));
}

/** An empty body counts as an empty object: storage-js sends both. */
export async function readJson(c: Context): Promise<unknown> {
  const text = await c.req.text();
  if (text === "") return {};
  // The gateway looks into no bytes, and this is read whatever its content type says.
  if (!isStorableJson(text)) throw unstorable();
  try {
    return JSON.parse(text);
  } catch {
    throw invalidRequest("Body is not valid JSON");
  }
}

/** For routes that end in `/:bucket/:name{.+}`. */
export const placeOf = (c: Context): Place => ({
  bucket: c.req.param("bucket")!,
  name: c.req.param("name")!,
});
