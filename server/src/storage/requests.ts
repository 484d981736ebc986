// How the routes read requests: the Hono environment, JSON bodies checked against a schema, and places from addresses.
import type { Context } from "hono";
import type { ZodType } from "zod";
import type { RequestScope } from "../postgres/scope/request-scope.ts";
import type { ServiceContext } from "../platform/http/context.ts";
import { isTooDeep } from "../platform/http/json-depth.ts";
import { isStorableJson } from "../platform/http/storable.ts";
import { invalidRequest, tooLarge, unstorable } from "./errors.ts";
import type { Place } from "./objects.ts";
import type { UploadGrant } from "./signed-urls.ts";

/** The caller as the policies see it: `request.headers` and similar settings have the same values as on the platform. */
export function callerOf(c: Context<StorageEnv>): RequestScope {
  const { claims, ip: address, departure, reserved } = c.env.context;
  const headers = Object.fromEntries(c.req.raw.headers);
  return { claims, address, departure, reserved, method: c.req.method, path: c.req.path, headers };
}

/**
 * The holder of an upload address. The permission was checked at signing: the owner is the signer, while the holder's address takes
 * the turn for a connection.
 */
export const holderOf = (c: Context<StorageEnv>, { owner }: Pick<UploadGrant, "owner">): RequestScope => ({
  ...callerOf(c),
  claims: { role: "service_role", ...(owner ? { sub: owner } : {}) },
  reserved: false,
});

export type StorageEnv = { Bindings: { context: ServiceContext } };

/** Throws InvalidRequest for the first thing that is wrong, named as storage-api names it. */
export function parse<T>(schema: ZodType<T>, value: unknown, part: "body" | "querystring" = "body"): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  throw invalidRequest([[part, ...path].join("/"), message].join(" "));
}

export const parseQuery = <T>(schema: ZodType<T>, c: Context): T =>
  parse(schema, c.req.query(), "querystring");

/** The token of a signed address. */
export function requireToken(token: string | undefined): string {
  if (!token) throw invalidRequest("querystring must have required property 'token'");
  return token;
}

/** In characters: the gateway's limit in bytes, within which 1,000 names of 1,024 characters fit. */
const LONGEST_JSON = 1024 * 1024;

/** An empty body counts as an empty object: storage-js sends both. */
export async function readJson(c: Context): Promise<unknown> {
  const text = await c.req.text();
  if (text === "") return {};
  // The gateway checks these only where it knows that the body is read as JSON.
  if (text.length > LONGEST_JSON) throw tooLarge();
  if (isTooDeep(text)) throw invalidRequest("Body nests too deeply");
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
  version: c.req.query("versionId"),
});
