// Reads request bodies: limits each one by its door and all of them together, and refuses what cannot be stored. A body kept
// in memory counts until its request is answered; uploads stream.
import { ServiceError } from "../../platform/errors.ts";
import { isTooDeep } from "../../platform/http/json-depth.ts";
import { isStorableJson } from "../../platform/http/storable.ts";
import type { Reading } from "./body-kinds.ts";

export interface Taken {
  readonly bytes: Buffer<ArrayBuffer>;
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

/** The bytes that all requests together keep in memory, in total and for each address. */
class Memory {
  readonly #mostBytes: number;
  readonly #held = new Map<string, number>();
  #inAll = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Without an address only the total is bounded. Throws 429 and 503. */
  take(address: string | undefined, bytes: number): void {
    const own = address === undefined ? 0 : (this.#held.get(address) ?? 0) + bytes;
    if (own > this.#mostBytes * SHARE) {
      throw new ServiceError(
        429,
        "too_many_bodies",
        "Your network sends too much at once. Please try again.",
      );
    }
    if (this.#inAll + bytes > this.#mostBytes) {
      throw new ServiceError(
        503,
        "too_many_bodies",
        "Too much is being sent at this moment. Please try again.",
      );
    }
    this.#inAll += bytes;
    if (address !== undefined) this.#held.set(address, own);
  }

  giveBack(address: string | undefined, bytes: number): void {
    this.#inAll -= bytes;
    if (address === undefined) return;
    const left = (this.#held.get(address) ?? 0) - bytes;
    if (left > 0) this.#held.set(address, left);
    else this.#held.delete(address);
  }
}

/** The bytes that one request keeps in memory. */
class Hold {
  readonly #memory: Memory;
  readonly #address: string | undefined;
  #bytes = 0;

  constructor(memory: Memory, address: string | undefined) {
    this.#memory = memory;
    this.#address = address;
  }

  grow(by: number): void {
    this.#memory.take(this.#address, by);
    this.#bytes += by;
  }

  readonly release = (): void => {
    this.#memory.giveBack(this.#address, this.#bytes);
    this.#bytes = 0;
  };
}

export class Bodies {
  readonly #memory: Memory;

  /** `mostBytes`: the limit on all bodies kept in memory at once. */
  constructor(mostBytes: number) {
    this.#memory = new Memory(mostBytes);
  }

  /** The whole body, checked for how it is read; undefined where there is none. Throws ServiceError 400, 413, 429 or 503. */
  async take(request: Request, address: string, limit: number, reading: Reading): Promise<Taken | undefined> {
    const declared = declaredLength(request, limit);
    if (declared === undefined && !isChunked(request)) return ownBody(request);
    if (declared === 0) return undefined;
    const hold = this.#hold(address, declared);
    try {
      const bytes =
        declared === undefined
          ? await readAll(request, limit, hold)
          : Buffer.from(await request.arrayBuffer());
      if (reading === "json") requireShallow(bytes);
      if (reading !== "bytes") requireStorable(bytes, request.headers.get("content-type") ?? "");
      return { bytes, release: hold.release };
    } catch (error) {
      hold.release();
      throw error instanceof ServiceError ? error : brokenOff(error);
    }
  }

  /** Streams the body and cuts it off beyond the limit. `counted`: its reader buffers it. Throws 400 and 413. */
  async flow(request: Request, limit: number, counted: boolean): Promise<Flowing> {
    const declared = declaredLength(request, limit);
    if (declared !== undefined && declared <= SMALL) return { body: await wholeOf(request), release() {} };
    if (!counted && !isChunked(request)) return { body: request.body, release() {} };
    if (!request.body) return { body: null, release() {} };
    const hold = new Hold(this.#memory, undefined);
    return {
      body: ReadableStream.from(bounded(request.body, limit, counted ? hold : undefined)),
      release: hold.release,
    };
  }

  /** Reserves a declared length at once. Throws 429 and 503. */
  #hold(address: string, declared: number | undefined): Hold {
    const hold = new Hold(this.#memory, address);
    if (declared !== undefined) hold.grow(declared);
    return hold;
  }
}

async function* bounded(
  body: ReadableStream<Uint8Array>,
  limit: number,
  hold: Hold | undefined,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    hold?.grow(chunk.length);
    yield chunk;
  }
}

const brokenOff = (cause: unknown) =>
  new ServiceError(400, "body_broken_off", "The request's body broke off.", { cause });

const wholeOf = (request: Request): Promise<ArrayBuffer> =>
  request.arrayBuffer().catch((error: unknown) => {
    throw brokenOff(error);
  });

const isChunked = (request: Request): boolean => request.headers.get("transfer-encoding") !== null;

/** A body without a length never comes over the network: this request was made in process. */
async function ownBody(request: Request): Promise<Taken | undefined> {
  const bytes = request.body ? Buffer.from(await request.arrayBuffer()) : undefined;
  return bytes && bytes.length > 0 ? { bytes, release() {} } : undefined;
}

/** Undefined without a content-length. Throws 413. */
function declaredLength(request: Request, limit: number): number | undefined {
  const header = request.headers.get("content-length");
  if (header === null) return undefined;
  if (Number(header) > limit) throw tooLarge(limit);
  return Number(header); // the HTTP parser reads no more than the declared length
}

async function readAll(request: Request, limit: number, hold: Hold): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    hold.grow(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function requireShallow(body: Buffer): void {
  if (isTooDeep(body)) throw new ServiceError(400, "too_deep", "The request's body nests too deeply.");
}

const decoder = new TextDecoder();

/** Decodes like `Request.text`, which drops a byte order mark: the check must see the same text as the reader. */
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

/** Nothing decodes percent signs in these. One of our pages may read any other body as a form. */
const isNoForm = (contentType: string): boolean => /json|csv/i.test(contentType);

/** The content type is only the sender's claim, and services read JSON under any, so no type skips the check for escapes. */
function requireStorable(body: Buffer, contentType: string): void {
  if (body.includes("\0")) throw unstorable();
  if (body.includes("%00") && !isNoForm(contentType)) throw unstorable();
  if (body.includes("\\u") && !isStorableJson(textOf(body))) throw unstorable();
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
