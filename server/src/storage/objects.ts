// The life of objects. Owns the order that keeps row and file in agreement: first the durable file under a new version,
// then the row that names it, then the file nobody names any more. A crash leaves at worst a file without a row.
import { randomUUID } from "node:crypto";
import type { Database } from "../postgres/database.ts";
import type { Executor } from "../postgres/executor.ts";
import type { Claims } from "../platform/jwt.ts";
import * as error from "./errors.ts";
import { requireKey, requireMimeType } from "./names.ts";
import type { ObjectStore, StoredFile } from "./object-store.ts";
import * as queries from "./queries.ts";
import { readUpload, type Upload } from "./upload-body.ts";

export interface Place {
  readonly bucket: string;
  readonly name: string;
}

const OPEN = "objects of a public bucket are open to everybody";

export class Objects {
  readonly #database: Database;
  readonly #store: ObjectStore;
  readonly #globalLimit: number;

  constructor(database: Database, store: ObjectStore, globalLimit: number) {
    this.#database = database;
    this.#store = store;
    this.#globalLimit = globalLimit;
  }

  async upload(claims: Claims, place: Place, request: Request, upsert: boolean): Promise<string> {
    requireKey(place.name);
    const bucket = await this.#bucketRules(place.bucket);
    await this.#rehearse(claims, place, upsert);
    const limit = Math.min(bucket.file_size_limit ?? this.#globalLimit, this.#globalLimit);
    const upload = await readUpload(request, limit);
    requireMimeType(upload.mimeType, bucket.allowed_mime_types);
    const version = randomUUID();
    const file = await this.#store.put(version, upload.body);
    const row = newRow(claims, place, version, metadataOf(upload, file), upload.userMetadata);
    return this.#publish(claims, row, upsert);
  }

  /** Throws what an upload would throw; used before an upload is signed. */
  async requireWritable(claims: Claims, place: Place, upsert: boolean): Promise<void> {
    requireKey(place.name);
    await this.#bucketRules(place.bucket);
    await this.#rehearse(claims, place, upsert);
  }

  /** The row as this caller may see it. In a public bucket everybody may. */
  async find(claims: Claims, place: Place): Promise<queries.ObjectRow> {
    const bucket = await this.#bucketRules(place.bucket);
    if (bucket.public) return this.findUnchecked(place, OPEN);
    return required(await this.#as(claims, (tx) => queries.objectByName(tx, place.bucket, place.name)));
  }

  async findPublic(place: Place): Promise<queries.ObjectRow> {
    const bucket = await this.#bucketRules(place.bucket);
    if (!bucket.public) throw error.noSuchBucket();
    return this.findUnchecked(place, OPEN);
  }

  /** `why` the policies need not be asked. */
  async findUnchecked(place: Place, why: string): Promise<queries.ObjectRow> {
    return required(await queries.objectByName(this.#database.asService(why), place.bucket, place.name));
  }

  list(claims: Claims, bucket: string, listing: queries.ObjectListing) {
    return this.#as(claims, (tx) => queries.listObjects(tx, bucket, listing));
  }

  visibleNames(claims: Claims, bucket: string, names: readonly string[]) {
    return this.#as(claims, (tx) => queries.namesAmong(tx, bucket, names));
  }

  async remove(claims: Claims, bucket: string, names: readonly string[]) {
    const removed = await this.#as(claims, (tx) => queries.deleteObjects(tx, bucket, names));
    await this.#store.remove(versionsOf(removed));
    return removed;
  }

  async move(claims: Claims, from: Place, to: Place): Promise<void> {
    requireKey(to.name);
    const moved = await this.#as(claims, async (tx) => {
      required(await queries.objectByName(tx, from.bucket, from.name));
      const target: [string, string] = [to.bucket, to.name];
      return queries.moveObject(tx, [from.bucket, from.name], target, claims.sub);
    });
    if (!moved) throw error.noSuchKey();
  }

  async copy(claims: Claims, from: Place, to: Place, options: CopyOptions) {
    requireKey(to.name);
    const source = required(await this.#as(claims, (tx) => queries.objectByName(tx, from.bucket, from.name)));
    await this.#bucketRules(to.bucket);
    await this.#rehearse(claims, to, options.upsert);
    const version = randomUUID();
    if (!source.version || !(await this.#store.copy(source.version, version))) throw error.noSuchKey();
    const metadata = { ...source.metadata, ...options.metadata, lastModified: new Date().toISOString() };
    const userMetadata = options.userMetadata ?? source.user_metadata ?? undefined;
    const row = newRow(claims, to, version, metadata, userMetadata);
    const id = await this.#publish(claims, row, options.upsert);
    return { id, bucket_id: to.bucket, name: to.name, version, metadata, user_metadata: userMetadata };
  }

  async #as<T>(claims: Claims, work: (tx: Executor) => Promise<T>): Promise<T> {
    try {
      return await this.#database.transaction({ claims }, work);
    } catch (failure) {
      throw error.fromDatabase(failure, "KeyAlreadyExists");
    }
  }

  async #bucketRules(id: string) {
    const bucket = await queries.bucketRules(this.#database, id);
    if (!bucket) throw error.noSuchBucket();
    return bucket;
  }

  /** Asks PostgreSQL before it accepts a byte, so that nobody fills the disk with what policies refuse. */
  async #rehearse(claims: Claims, place: Place, upsert: boolean): Promise<void> {
    const row = newRow(claims, place, randomUUID(), {});
    try {
      await queries.rehearse(this.#database, claims, (tx) => writeRow(tx, randomUUID(), row, upsert));
    } catch (failure) {
      throw error.fromDatabase(failure, "KeyAlreadyExists");
    }
  }

  /** `row.version` is a durable file; it is removed again if the row is refused. */
  async #publish(claims: Claims, row: queries.NewObject, upsert: boolean): Promise<string> {
    const id = randomUUID();
    let replaced: string | null | undefined;
    try {
      replaced = await this.#as(claims, (tx) => writeRow(tx, id, row, upsert));
    } catch (failure) {
      await this.#store.remove([row.version]);
      throw failure;
    }
    if (replaced === undefined) return id;
    if (replaced !== null) await this.#store.remove([replaced]);
    return (await queries.idOf(this.#database, row.bucket, row.name)) ?? id;
  }
}

export interface CopyOptions {
  readonly upsert: boolean;
  /** Undefined keeps the source's. */
  readonly metadata: { mimetype?: string; cacheControl?: string } | undefined;
  readonly userMetadata: unknown;
}

const newRow = (
  claims: Claims,
  place: Place,
  version: string,
  metadata: queries.NewObject["metadata"],
  userMetadata?: unknown,
): queries.NewObject => ({ ...place, owner: claims.sub, version, metadata, userMetadata });

/** The versions of the files that go with their rows. */
export const versionsOf = (rows: readonly queries.ObjectRow[]) =>
  rows.map((row) => row.version).filter((version) => version !== null);

const writeRow = async (tx: Executor, id: string, row: queries.NewObject, upsert: boolean) => {
  if (upsert) return queries.upsertObject(tx, id, row);
  await queries.insertObject(tx, id, row);
  return undefined;
};

const metadataOf = (upload: Upload, file: StoredFile): queries.ObjectMetadata => ({
  eTag: `"${file.md5}"`,
  size: file.size,
  mimetype: upload.mimeType,
  cacheControl: upload.cacheControl,
  lastModified: new Date().toISOString(),
  contentLength: file.size,
  httpStatusCode: 200,
  ...(upload.contentEncoding ? { contentEncoding: upload.contentEncoding } : {}),
});

function required<T>(row: T | undefined): T {
  if (row === undefined) throw error.noSuchKey();
  return row;
}
