// Transformed pictures of stored objects: from the cache if made before, and made once however many clients request one at the same
// time.
import { createHash } from "node:crypto";
import type { ObjectStore } from "../bytes/object-store.ts";
import { imageUnreadable, noSuchKey } from "../errors.ts";
import type { ObjectRow } from "../queries.ts";
import type { RenderCache } from "./render-cache.ts";
import type { Picture } from "./drawing-process.ts";
import { LARGEST_SOURCE, type Renderer } from "./renderer.ts";
import { describe, type Format, shownQuality, type Transformation } from "./transformation.ts";

export interface PictureRequest {
  readonly options: Transformation;
  readonly accept: string;
  readonly bucketLikesAvif: boolean;
  /** The address in whose turn it is made. */
  readonly address: string;
}

const FORMATS: readonly Format[] = ["jpeg", "png", "webp", "avif", "gif"];

export class Pictures {
  readonly #store: ObjectStore;
  readonly #cache: RenderCache;
  readonly #renderer: Renderer;
  readonly #coming = new Map<string, Promise<Picture>>();

  constructor(store: ObjectStore, cache: RenderCache, renderer: Renderer) {
    this.#store = store;
    this.#cache = cache;
    this.#renderer = renderer;
  }

  /** Throws NoSuchKey, InvalidRequest 422 if the object is not a picture, and SlowDown. */
  async of(object: ObjectRow, request: PictureRequest): Promise<Picture & { readonly tag: string }> {
    const { version, metadata } = object;
    if (!version || !metadata) throw noSuchKey();
    if (metadata.size > LARGEST_SOURCE) throw imageUnreadable();
    const { quality } = request.options;
    const options = { ...request.options, ...(quality && { quality: shownQuality(quality) }) };
    const { bucketLikesAvif } = request;
    const negotiated = options.format ? [] : acceptedOf(request);
    const rendering = {
      options,
      bucketLikesAvif,
      accept: negotiated.join(),
    };
    const tag = createHash("sha256")
      .update(JSON.stringify([describe(options), options.format, negotiated, bucketLikesAvif]))
      .digest("hex")
      .slice(0, 24);
    const key = `${version}/${tag}`;
    let coming = this.#coming.get(key);
    if (!coming) {
      coming = this.#find(version, tag, () =>
        this.#renderer.render(() => this.#bytesOf(version), rendering, request.address),
      ).finally(() => this.#coming.delete(key));
      this.#coming.set(key, coming);
    }
    return { ...(await coming), tag };
  }

  async #find(version: string, tag: string, make: () => Promise<Picture>): Promise<Picture> {
    const kept = await this.#cache.get(version, tag, FORMATS);
    if (kept) return kept;
    const made = await make();
    await this.#cache.keep(version, tag, made);
    return made;
  }

  async #bytesOf(version: string): Promise<Buffer> {
    const body = await this.#store.read(version);
    if (!body) throw noSuchKey();
    return Buffer.isBuffer(body) ? body : Buffer.from(await new Response(body).arrayBuffer());
  }
}

/** The relevant part of an Accept header, so that browsers share results. */
const acceptedOf = ({ accept, bucketLikesAvif }: PictureRequest) =>
  ["image/webp", ...(bucketLikesAvif ? ["image/avif"] : [])].filter((type) => accept.includes(type));
