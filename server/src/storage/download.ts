// Answers a request with an object: conditions, ranges and headers. Uploads are other people's files on our own origin, so
// none of them may run as one of its pages.
import { invalidRange, noSuchKey } from "./errors.ts";
import type { ByteRange, ObjectStore } from "./object-store.ts";
import type { ObjectMetadata, ObjectRow } from "./queries.ts";

export interface DownloadOptions {
  /** Value of `?download=`: a file name, or empty to keep the object's own. */
  readonly download?: string | undefined;
  /** Seconds since the epoch until which a signed address is valid. */
  readonly expires?: number;
}

const STORED_OBJECT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'; sandbox";

/** Throws NoSuchKey when the file is lost, InvalidRange when the range lies outside it. */
export async function respondWithObject(
  store: ObjectStore,
  object: ObjectRow,
  request: Request,
  options: DownloadOptions,
): Promise<Response> {
  const { metadata, version } = object;
  if (!metadata || !version) throw noSuchKey();
  const headers = new Headers({
    "accept-ranges": "bytes",
    "content-type": inert(metadata.mimetype),
    "content-security-policy": STORED_OBJECT_POLICY,
    "x-content-type-options": "nosniff",
    etag: metadata.eTag,
    "last-modified": new Date(metadata.lastModified).toUTCString(),
    ...(metadata.contentEncoding ? { "content-encoding": metadata.contentEncoding } : {}),
    ...(options.expires === undefined
      ? { "cache-control": metadata.cacheControl }
      : { expires: new Date(options.expires * 1000).toUTCString() }),
    ...(options.download === undefined ? {} : { "content-disposition": disposition(options.download) }),
  });
  if (isUnchanged(request, metadata)) return new Response(null, { status: 304, headers });

  const range = parseRange(request, metadata);
  const length = range ? range.end - range.start + 1 : metadata.size;
  headers.set("content-length", String(length));
  if (range) headers.set("content-range", `bytes ${range.start}-${range.end}/${metadata.size}`);
  const status = range ? 206 : 200;
  if (request.method === "HEAD") return new Response(null, { status, headers });

  const body = await store.read(version, range);
  if (!body) throw noSuchKey();
  return new Response(body, { status, headers });
}

/** The facts about an object as `info()` of the client expects them. */
export const describeObject = (object: ObjectRow) => ({
  id: object.id,
  name: object.name,
  version: object.version,
  bucket_id: object.bucket_id,
  size: object.metadata?.size ?? null,
  content_type: object.metadata?.mimetype ?? null,
  cache_control: object.metadata?.cacheControl ?? null,
  etag: object.metadata?.eTag ?? null,
  metadata: object.user_metadata,
  last_modified: object.updated_at,
  created_at: object.created_at,
});

/** HTML is shown as text, as storage-api does. */
const inert = (mimeType: string) =>
  /^\s*(text\/html|application\/xhtml\+xml)/i.test(mimeType) ? "text/plain" : mimeType;

function disposition(fileName: string): string {
  if (fileName === "") return "attachment;";
  const encoded = encodeURIComponent(fileName);
  return `attachment; filename=${encoded}; filename*=UTF-8''${encoded};`;
}

function isUnchanged(request: Request, metadata: ObjectMetadata): boolean {
  const tags = request.headers.get("if-none-match");
  if (tags !== null) {
    const known = tags.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
    return known.includes("*") || known.includes(metadata.eTag);
  }
  const since = Date.parse(request.headers.get("if-modified-since") ?? "");
  return Math.floor(Date.parse(metadata.lastModified) / 1000) * 1000 <= since; // false for NaN
}

/** One range is honoured; several are answered with the whole object, which RFC 9110 (section 14.2) allows. */
function parseRange(request: Request, metadata: ObjectMetadata): ByteRange | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(request.headers.get("range") ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return undefined;
  const condition = request.headers.get("if-range");
  if (condition !== null && condition !== metadata.eTag) return undefined;
  const last = metadata.size - 1;
  const start = match[1] === "" ? Math.max(0, metadata.size - Number(match[2])) : Number(match[1]);
  const end = match[1] === "" || match[2] === "" ? last : Math.min(Number(match[2]), last);
  if (start > last || start > end) throw invalidRange();
  return { start, end };
}
