// What a request brings to be stored. Hides the two ways storage-js sends a file: as the raw body with headers, or as a
// multipart form whose fields carry the same facts.
import { buffer } from "node:stream/consumers";
import { isTooDeep } from "../platform/http/json-depth.ts";
import { isStorableJson } from "../platform/http/storable.ts";
import { invalidParameter, invalidRequest, tooLarge, unstorable } from "./errors.ts";
import { isHeaderText } from "./names.ts";
import { BESIDES_FILE, parseForm } from "./upload-form.ts";

export interface Upload {
  readonly body: AsyncIterable<Uint8Array>;
  readonly mimeType: string;
  readonly cacheControl: string;
  readonly contentEncoding: string | undefined;
  readonly userMetadata: unknown;
}

/** `limit` in bytes; a body beyond it fails with EntityTooLarge while it is being read. */
export async function readUpload(request: Request, limit: number): Promise<Upload> {
  const contentType = request.headers.get("content-type") ?? "";
  return contentType.startsWith("multipart/form-data") ? fromForm(request, limit) : fromBody(request, limit);
}

function fromBody(request: Request, limit: number): Upload {
  const { headers } = request;
  if (Number(headers.get("content-length") ?? 0) > limit) throw tooLarge();
  const metadata = headers.get("x-metadata");
  return {
    body: bounded(request.body ?? [], limit),
    mimeType: headers.get("content-type") ?? "application/octet-stream",
    cacheControl: headers.get("cache-control") ?? "no-cache",
    contentEncoding: headers.get("content-encoding") ?? undefined,
    userMetadata: metadata === null ? undefined : decodeMetadata(metadata),
  };
}

async function fromForm(request: Request, limit: number): Promise<Upload> {
  const { headers } = request;
  const largest = limit + BESIDES_FILE;
  if (Number(headers.get("content-length") ?? 0) > largest) throw tooLarge();
  const bytes = await buffer(bounded(request.body ?? [], largest));
  const form = await parseForm(headers.get("content-type")!, bytes);
  const file = [...form.values()].find((value) => value instanceof Blob);
  if (!file) throw invalidRequest("No file provided");
  if (file.size > limit) throw tooLarge();
  const field = (name: string) => {
    const value = form.get(name);
    return typeof value === "string" ? value : undefined;
  };
  const seconds = field("cacheControl");
  const metadata = field("metadata");
  const [contentType, contentEncoding] = [field("contentType"), field("contentEncoding")];
  for (const text of [contentType, seconds, contentEncoding]) {
    if (text !== undefined && !isHeaderText(text))
      throw invalidRequest("The form holds text that no header can");
  }
  return {
    body: bounded(file.stream(), limit),
    mimeType: contentType ?? (file.type || "application/octet-stream"),
    cacheControl: seconds ? `max-age=${seconds}` : "no-cache",
    contentEncoding,
    userMetadata: metadata === undefined ? undefined : parseMetadata(metadata),
  };
}

async function* bounded(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, limit: number) {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge();
    yield chunk;
  }
}

/** The content of the `x-metadata` header. */
export const decodeMetadata = (header: string): unknown =>
  parseMetadata(Buffer.from(header, "base64").toString());

/** A client's metadata for its own file. Throws InvalidParameter and InvalidRequest. */
export function parseMetadata(json: string): unknown {
  if (isTooDeep(json)) throw invalidParameter("Invalid Metadata: nests too deeply");
  if (!isStorableJson(json)) throw unstorable();
  try {
    return JSON.parse(json);
  } catch {
    throw invalidParameter("Invalid Metadata: must be JSON");
  }
}
