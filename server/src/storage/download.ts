// Answers a request with stored bytes: conditions, ranges and headers. Uploads are other people's files on our own origin, so none of
// them may run as a page of ours.
import { answerWith, PipedBody } from "../platform/http/piped-body.ts";
import type { ByteRange } from "./bytes/object-store.ts";
import type { StoredBytes } from "./bytes/stored-bytes.ts";
import { invalidRange, noSuchKey, preconditionFailed } from "./errors.ts";
import type { ObjectRow } from "./queries.ts";

export interface DownloadOptions {
  /** Value of `?download=`: a file name, or empty to keep the object's own. */
  readonly download?: string | undefined;
  /** Seconds since the epoch until which a signed address is valid. */
  readonly expires?: number;
}

/** What is sent: an object as stored, or a picture derived from it. */
export interface Sendable {
  readonly size: number;
  readonly mimetype: string;
  /** Includes the quotes of the HTTP header. */
  readonly eTag: string;
  readonly lastModified: string;
  readonly cacheControl: string;
  readonly contentEncoding?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Undefined when the bytes are lost. */
  read(range: ByteRange | undefined): Promise<PipedBody | Buffer | undefined>;
}

const STORED_OBJECT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'; sandbox";

/** Throws NoSuchKey when the file is lost, InvalidRange when the range lies outside it. */
export function respondWithObject(
  bytes: StoredBytes,
  object: ObjectRow,
  request: Request,
  options: DownloadOptions,
): Promise<Response> {
  const { metadata, version } = object;
  if (!metadata || !version) throw noSuchKey();
  const read = (range: ByteRange | undefined) => bytes.read(version, metadata.size, range);
  return respondWith({ ...metadata, read }, request, options);
}

export async function respondWith(
  sent: Sendable,
  request: Request,
  options: DownloadOptions,
): Promise<Response> {
  const headers: Record<string, string> = {
    "accept-ranges": "bytes",
    "content-type": inert(sent.mimetype),
    "content-security-policy": STORED_OBJECT_POLICY,
    "x-content-type-options": "nosniff",
    etag: sent.eTag,
    "last-modified": new Date(sent.lastModified).toUTCString(),
    ...(sent.contentEncoding ? { "content-encoding": sent.contentEncoding } : {}),
    ...(options.expires === undefined
      ? { "cache-control": sent.cacheControl }
      : { expires: new Date(options.expires * 1000).toUTCString() }),
    ...(options.download === undefined ? {} : { "content-disposition": disposition(options.download) }),
    ...sent.headers,
  };
  requireConditions(request, sent);
  if (isUnchanged(request, sent)) return new Response(null, { status: 304, headers });

  const range = parseRange(request, sent);
  const length = range ? range.end - range.start + 1 : sent.size;
  headers["content-length"] = String(length);
  if (range) headers["content-range"] = `bytes ${range.start}-${range.end}/${sent.size}`;
  const status = range ? 206 : 200;
  if (request.method === "HEAD") return new Response(null, { status, headers });

  const body = await sent.read(range);
  if (!body) throw noSuchKey();
  if (body instanceof PipedBody) return answerWith(body, { status, headers });
  return new Response(body as Uint8Array<ArrayBuffer>, { status, headers });
}

/** The facts about an object, as the client's `info()` expects them. */
export const describeObject = (object: ObjectRow): Response =>
  Response.json(
    {
      id: object.id,
      name: object.name,
      version: object.version,
      bucket_id: object.bucket_id,
      size: object.metadata?.size ?? null,
      content_type: object.metadata?.mimetype ?? null,
      cache_control: object.metadata?.cacheControl ?? null,
      content_encoding: object.metadata?.contentEncoding ?? null,
      etag: object.metadata?.eTag ?? null,
      metadata: object.user_metadata ?? {},
      last_modified: object.updated_at,
      created_at: object.created_at,
    },
    {
      headers: object.metadata
        ? {
            etag: object.metadata.eTag,
            "last-modified": new Date(object.metadata.lastModified).toUTCString(),
          }
        : {},
    },
  );

/** HTML is shown as text, as storage-api does. */
const inert = (mimeType: string) =>
  /^\s*(text\/html|application\/xhtml\+xml)/i.test(mimeType) ? "text/plain" : mimeType;

function disposition(fileName: string): string {
  if (fileName === "") return "attachment;";
  const encoded = encodeURIComponent(fileName);
  return `attachment; filename=${encoded}; filename*=UTF-8''${encoded};`;
}

/** HTTP dates have whole seconds. */
const changedAt = ({ lastModified }: Sendable) => Math.floor(Date.parse(lastModified) / 1000) * 1000;

const tagsOf = (header: string) => header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));

/** RFC 9110, section 13.2.2: refuses a request meant for a state other than the current one. Throws PreconditionFailed. */
function requireConditions(request: Request, sent: Sendable): void {
  const tags = request.headers.get("if-match");
  if (tags !== null) {
    if (tags.trim() !== "*" && !tags.split(",").some((tag) => tag.trim() === sent.eTag))
      throw preconditionFailed();
    return;
  }
  if (changedAt(sent) > Date.parse(request.headers.get("if-unmodified-since") ?? ""))
    throw preconditionFailed();
}

function isUnchanged(request: Request, sent: Sendable): boolean {
  const tags = request.headers.get("if-none-match");
  if (tags !== null) return tagsOf(tags).some((tag) => tag === "*" || tag === sent.eTag);
  return changedAt(sent) <= Date.parse(request.headers.get("if-modified-since") ?? ""); // false for NaN
}

/** A single range is honored. Several are answered with the whole object, which RFC 9110 (section 14.2) allows. */
function parseRange(request: Request, sent: Sendable): ByteRange | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(request.headers.get("range") ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return undefined;
  if (!isSame(request.headers.get("if-range"), sent)) return undefined;
  const last = sent.size - 1;
  const start = match[1] === "" ? Math.max(0, sent.size - Number(match[2])) : Number(match[1]);
  const end = match[1] === "" || match[2] === "" ? last : Math.min(Number(match[2]), last);
  if (start > last || start > end) throw invalidRange();
  return { start, end };
}

/** If-Range holds a strong tag, or exactly the date that was sent. */
const isSame = (condition: string | null, sent: Sendable): boolean =>
  condition === null || condition === sent.eTag || Date.parse(condition) === changedAt(sent);
