// Reads request bodies: bounds each by its door and all of them together, and refuses what cannot be stored. A body kept in
// memory counts until its request is answered; uploads stream.
import { ServiceError } from "../platform/errors.ts";
import { isTooDeep } from "../platform/json-depth.ts";
import { isStorableJson } from "../platform/storable.ts";

export interface Bodies {
  /** The whole body, checked; undefined where there is none. Throws ServiceError 400, 413, 429 or 503. */
  take(request: Request, address: string, limit: number): Promise<Taken | undefined>;
  /** The same as text; empty where there is none. */
  takeText(request: Request, address: string, limit: number): Promise<TakenText>;
  /** Streams the body and cuts it off beyond the limit. `counted` where its reader buffers it. Throws 400 and 413. */
  flow(request: Request, limit: number, counted: boolean): Promise<Flowing>;
}

export interface Taken {
  readonly bytes: Buffer;
  release(): void;
}

export interface TakenText {
  readonly text: string;
  release(): void;
}

export interface Flowing {
  readonly body: ReadableStream<Uint8Array> | ArrayBuffer | null;
  release(): void;
}

/** The share of the total that one address may hold. */
const SHARE = 1 / 4;

/** Bodies up to this size are read even where a service decides first: an unread body costs its sender the connection. */
const SMALL = 64 * 1024;

export function createBodies(mostBytes: number): Bodies {
  const held = new Map<string, number>();
  let inAll = 0;

  /** Counts the bytes of one request. Without an address only the total is bounded. */
  function hold(address: string | undefined) {
    let bytes = 0;
    return {
      grow(by: number) {
        const own = address === undefined ? 0 : (held.get(address) ?? 0) + by;
        if (own > mostBytes * SHARE) {
          throw new ServiceError(
            429,
            "too_many_bodies",
            "Your network sends too much at once. Please try again.",
          );
        }
        if (inAll + by > mostBytes) {
          throw new ServiceError(
            503,
            "too_many_bodies",
            "Too much is being sent at this moment. Please try again.",
          );
        }
        bytes += by;
        inAll += by;
        if (address !== undefined) held.set(address, own);
      },
      release() {
        inAll -= bytes;
        if (address !== undefined) {
          const left = (held.get(address) ?? 0) - bytes;
          if (left > 0) held.set(address, left);
          else held.delete(address);
        }
        bytes = 0;
      },
    };
  }

  /** Calls `read` where the length is declared, and reads chunk by chunk otherwise; `check` throws. */
  async function counted<T>(
    request: Request,
    address: string,
    limit: number,
    declared: number | undefined,
    make: { read(): Promise<T>; of(bytes: Buffer): T; check(value: T): void },
  ): Promise<{ value: T; release(): void }> {
    const count = hold(address);
    try {
      if (declared !== undefined) count.grow(declared);
      const value =
        declared === undefined ? make.of(await readAll(request, limit, count.grow)) : await make.read();
      make.check(value);
      return { value, release: count.release };
    } catch (error) {
      count.release();
      throw error instanceof ServiceError ? error : brokenOff(error);
    }
  }

  return {
    async take(request, address, limit) {
      const declared = declaredLength(request, limit);
      if (declared === undefined && !isChunked(request)) return ownBody(request);
      if (declared === 0) return undefined;
      const type = request.headers.get("content-type") ?? "";
      const { value, release } = await counted(request, address, limit, declared, {
        read: async () => Buffer.from(await request.arrayBuffer()),
        of: (bytes) => bytes,
        check(bytes) {
          requireShallow(bytes);
          if (isText(type)) requireStorable(bytes, type, () => bytes.toString("utf8"));
        },
      });
      return { bytes: value, release };
    },

    async takeText(request, address, limit) {
      const declared = declaredLength(request, limit);
      if (declared === undefined && !isChunked(request)) return { text: await request.text(), release() {} };
      if (declared === 0) return { text: "", release() {} };
      const { value, release } = await counted(request, address, limit, declared, {
        read: () => request.text(),
        of: (bytes) => bytes.toString("utf8"),
        check(text) {
          requireShallow(text);
          requireStorable(text, request.headers.get("content-type") ?? "", () => text);
        },
      });
      return { text: value, release };
    },

    async flow(request, limit, counted) {
      const declared = declaredLength(request, limit);
      if (declared !== undefined && declared <= SMALL) return { body: await wholeOf(request), release() {} };
      if (!counted && !isChunked(request)) return { body: request.body, release() {} };
      if (!request.body) return { body: null, release() {} };
      const count = hold(undefined);
      const source = request.body as unknown as AsyncIterable<Uint8Array>;
      const bounded = async function* () {
        let size = 0;
        for await (const chunk of source) {
          size += chunk.length;
          if (size > limit) throw tooLarge(limit);
          if (counted) count.grow(chunk.length);
          yield chunk;
        }
      };
      return { body: ReadableStream.from(bounded()), release: count.release };
    },
  };
}

const brokenOff = (cause: unknown) =>
  new ServiceError(400, "body_broken_off", "The request's body broke off.", { cause });

const wholeOf = (request: Request): Promise<ArrayBuffer> =>
  request.arrayBuffer().catch((error: unknown) => {
    throw brokenOff(error);
  });

const isChunked = (request: Request): boolean => request.headers.get("transfer-encoding") !== null;

/** Without a length no body comes over the network: this one is of a request made in process. */
async function ownBody(request: Request): Promise<Taken | undefined> {
  const bytes = request.body ? Buffer.from(await request.arrayBuffer()) : undefined;
  return bytes && bytes.length > 0 ? { bytes, release() {} } : undefined;
}

/** Undefined without a content-length. Throws 413. */
function declaredLength(request: Request, limit: number): number | undefined {
  const header = request.headers.get("content-length");
  if (header === null) return undefined;
  if (Number(header) > limit) throw tooLarge(limit);
  return Number(header); // the HTTP parser reads no more than what is declared
}

async function readAll(request: Request, limit: number, grow: (by: number) => void): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    grow(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Whatever its content type: some services read every body as JSON. */
function requireShallow(body: Buffer | string): void {
  if (isTooDeep(body)) throw new ServiceError(400, "too_deep", "The request's body nests too deeply.");
}

const isText = (contentType: string): boolean =>
  !contentType.startsWith("application/octet-stream") && !contentType.startsWith("multipart/");

/** `text` decodes the body, and is called only where it needs a closer look. */
function requireStorable(body: Buffer | string, contentType: string, text: () => string): void {
  const isForm = contentType.startsWith("application/x-www-form-urlencoded");
  if (body.includes("\0")) throw unstorable();
  if (isForm ? body.includes("%00") : body.includes("\\u") && !isStorableJson(text())) throw unstorable();
}

export const unstorable = () =>
  new ServiceError(
    400,
    "unstorable_text",
    "The request holds text that cannot be stored: a NUL or half a character.",
  );

const tooLarge = (limit: number) =>
  new ServiceError(
    413,
    "payload_too_large",
    `The request body is larger than ${Math.floor(limit / 1024)} KiB.`,
  );
