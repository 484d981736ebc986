// The life of objects. Owns the order that keeps row and file consistent: first the durable file under a new version, then
// the row that names it, then the removal of the file that no row names any more. At worst, a crash leaves a file without a
// row.
import { randomUUID } from "node:crypto";
import type { Database } from "../postgres/database.ts";
import { batched } from "../postgres/batched.ts";
import type { Executor } from "../postgres/executor.ts";
import type { RequestScope } from "../postgres/scope/request-scope.ts";
import type { ObjectStore, StoredFile } from "./bytes/object-store.ts";
import * as error from "./errors.ts";
import { listPage, type PageRequest } from "./listing.ts";
import { requireKey, requireMimeType } from "./names.ts";
import * as queries from "./queries.ts";
import { readUpload } from "./upload-body.ts";

export interface Place {
  readonly bucket: string;
  readonly name: string;
  /** Exactly this version. Only the current one exists, since buckets keep no others. */
  readonly version?: string | undefined;
}

export interface Found {
  readonly object: queries.ObjectRow;
  readonly bucket: queries.BucketFacts;
}

/** What is known about a stored file. */
export interface FileFacts {
  readonly mimeType: string;
  readonly cacheControl: string;
  readonly contentEncoding?: string | undefined;
  readonly userMetadata?: unknown;
}

/** Why the policies are not checked for the holder of a signed address. */
export const FOR_HOLDERS = "the signature opens exactly this object";

/** A single look-up is not delayed. */
const LOOK_UPS_TOGETHER = 64;

export class Objects {
  readonly #database: Database;
  readonly #store: ObjectStore;
  readonly #globalLimit: number;
  /**
   * A crowd's downloads share a query that starts after each of them arrived: an object deleted, replaced or made private
   * before that is not sent.
   */
  readonly #lookUp: (place: Place) => Promise<queries.FoundPlace | undefined>;

  constructor(database: Database, store: ObjectStore, globalLimit: number) {
    this.#database = database;
    this.#store = store;
    this.#globalLimit = globalLimit;
    this.#lookUp = batched({
      run: (places) =>
        queries.bucketsAndObjects(
          database,
          places.map(({ bucket, name }) => [bucket, name]),
        ),
      most: LOOK_UPS_TOGETHER,
    });
  }

  async upload(caller: RequestScope, place: Place, request: Request, upsert: boolean): Promise<string> {
    const rules = await this.requireWritable(caller, place, upsert);
    const upload = await readUpload(request, rules.limit);
    requireMimeType(upload.mimeType, rules.mimeTypes);
    const version = randomUUID();
    const file = await this.#store.put(version, upload.body);
    return this.publish(caller, place, version, file, upload, upsert);
  }

  /** Throws what an upload would throw, and returns the rules it must follow. */
  async requireWritable(caller: RequestScope, place: Place, upsert: boolean) {
    requireKey(place.name);
    const rules = await this.rulesOf(place.bucket);
    await this.#rehearse(caller, place, upsert);
    return rules;
  }

  /** The bucket's rules for every upload, whoever makes it. Throws NoSuchBucket. */
  async rulesOf(id: string) {
    const bucket = await queries.bucketRules(this.#database, id);
    if (!bucket) throw error.noSuchBucket();
    return {
      limit: Math.min(bucket.file_size_limit ?? this.#globalLimit, this.#globalLimit),
      mimeTypes: bucket.allowed_mime_types,
    };
  }

  /** Whether a row names this version. */
  has(version: string): Promise<boolean> {
    return queries.hasVersion(this.#database, version);
  }

  /** The row as this caller may see it. In a public bucket everybody may see it. */
  async find(caller: RequestScope, place: Place): Promise<Found> {
    const found = await this.#lookUp(place);
    if (!found) throw error.noSuchBucket();
    if (found.bucket.public) return required(found, place);
    const { bucket } = found;
    return required({ object: await this.#objectFor(caller, place), bucket }, place);
  }

  async findPublic(place: Place): Promise<Found> {
    const found = await this.#lookUp(place);
    if (!found?.bucket.public) throw error.noSuchBucket();
    return required(found, place);
  }

  /** `why` states why the policies need not be checked. */
  async findUnchecked(place: Place, why: typeof FOR_HOLDERS): Promise<Found> {
    void why;
    return required(await this.#lookUp(place), place);
  }

  list(caller: RequestScope, bucket: string, listing: queries.ObjectListing) {
    return this.#as(caller, (tx) => queries.listObjects(tx, bucket, listing));
  }

  listPage(caller: RequestScope, bucket: string, page: PageRequest) {
    return this.#as(caller, (tx) => listPage(tx, bucket, page));
  }

  visibleNames(caller: RequestScope, bucket: string, names: readonly string[]) {
    return this.#as(caller, (tx) => queries.namesAmong(tx, bucket, names));
  }

  /** `versions`: for objects to be removed only in exactly this version, by name. */
  async remove(
    caller: RequestScope,
    bucket: string,
    names: readonly string[],
    versions: Readonly<Record<string, string>> = {},
  ) {
    const removed = await this.#as(caller, (tx) => queries.deleteObjects(tx, bucket, names, versions));
    await this.#store.remove(versionsOf(removed));
    return removed;
  }

  async move(caller: RequestScope, from: Place, to: Place): Promise<void> {
    requireKey(to.name);
    const moved = await this.#as(caller, async (tx) => {
      required({ object: await queries.objectByName(tx, from.bucket, from.name) }, from);
      const target: [string, string] = [to.bucket, to.name];
      return queries.moveObject(tx, [from.bucket, from.name], target, caller.claims.sub);
    });
    if (!moved) throw error.noSuchKey();
  }

  async copy(caller: RequestScope, from: Place, to: Place, options: CopyOptions) {
    requireKey(to.name);
    const row = await this.#as(caller, (tx) => queries.objectByName(tx, from.bucket, from.name));
    const { object: source } = required({ object: row }, from);
    await this.requireWritable(caller, to, options.upsert);
    const version = randomUUID();
    if (!source.version || !(await this.#store.copy(source.version, version))) throw error.noSuchKey();
    const { metadata: said = {}, userMetadata } = options.instead ?? {
      userMetadata: source.user_metadata ?? undefined,
    };
    const metadata = { ...source.metadata, ...said, lastModified: new Date().toISOString() };
    const copied = newRow(caller, to, version, metadata, userMetadata);
    const id = await this.#insert(caller, copied, options.upsert);
    return { id, bucket_id: to.bucket, name: to.name, version, metadata, user_metadata: userMetadata };
  }

  /** `version` is a durable file; it is deleted if its row is refused. */
  publish(
    caller: RequestScope,
    place: Place,
    version: string,
    file: StoredFile,
    facts: FileFacts,
    upsert: boolean,
  ) {
    const row = newRow(caller, place, version, metadataOf(facts, file), facts.userMetadata);
    return this.#insert(caller, row, upsert);
  }

  /** As the policies show it to the caller. */
  async #objectFor(caller: RequestScope, place: Place): Promise<queries.ObjectRow | undefined> {
    try {
      return await queries.objectFor(this.#database, caller, place.bucket, place.name);
    } catch (failure) {
      throw error.fromDatabase(failure, "KeyAlreadyExists");
    }
  }

  async #as<T>(caller: RequestScope, work: (tx: Executor) => Promise<T>): Promise<T> {
    try {
      return await this.#database.transaction(caller, work);
    } catch (failure) {
      throw error.fromDatabase(failure, "KeyAlreadyExists");
    }
  }

  /** Checks with PostgreSQL before accepting a byte, so that nobody fills the disk with uploads that policies refuse. */
  async #rehearse(caller: RequestScope, place: Place, upsert: boolean): Promise<void> {
    const row = newRow(caller, place, randomUUID(), {});
    try {
      await queries.rehearse(this.#database, caller, (tx) => writeRow(tx, randomUUID(), row, upsert));
    } catch (failure) {
      throw error.fromDatabase(failure, "KeyAlreadyExists");
    }
  }

  async #insert(caller: RequestScope, row: queries.NewObject, upsert: boolean): Promise<string> {
    const id = randomUUID();
    let replaced: string | null | undefined;
    try {
      replaced = await this.#as(caller, (tx) => writeRow(tx, id, row, upsert));
    } catch (failure) {
      // Files that turn out to have no row are left to the sweeper.
      if (error.isRefused(failure)) await this.#store.remove([row.version]);
      throw failure;
    }
    if (replaced === undefined) return id;
    if (replaced !== null) await this.#store.remove([replaced]);
    return (await queries.idOf(this.#database, row.bucket, row.name)) ?? id;
  }
}

export interface CopyOptions {
  readonly upsert: boolean;
  /** Replaces the source's user metadata, and those of the file's headers that it names. */
  readonly instead:
    | { readonly metadata: Partial<queries.ObjectMetadata> | undefined; readonly userMetadata: unknown }
    | undefined;
}

const newRow = (
  caller: RequestScope,
  place: Place,
  version: string,
  metadata: queries.NewObject["metadata"],
  userMetadata?: unknown,
): queries.NewObject => ({
  ...{ bucket: place.bucket, name: place.name },
  ...{ owner: caller.claims.sub, version, metadata, userMetadata },
});

/** The versions of the files to remove with these rows. */
export const versionsOf = (rows: readonly queries.ObjectRow[]) =>
  rows.map((row) => row.version).filter((version) => version !== null);

const writeRow = async (tx: Executor, id: string, row: queries.NewObject, upsert: boolean) => {
  if (upsert) return queries.upsertObject(tx, id, row);
  await queries.insertObject(tx, id, row);
  return undefined;
};

const metadataOf = (facts: FileFacts, file: StoredFile): queries.ObjectMetadata => ({
  eTag: `"${file.md5}"`,
  size: file.size,
  mimetype: facts.mimeType,
  cacheControl: facts.cacheControl,
  lastModified: new Date().toISOString(),
  contentLength: file.size,
  httpStatusCode: 200,
  ...(facts.contentEncoding ? { contentEncoding: facts.contentEncoding } : {}),
});

type Sought<T> = Omit<T, "object"> & { readonly object: queries.ObjectRow };

function required<T extends { readonly object: queries.ObjectRow | null | undefined }>(
  found: T | undefined,
  { version }: Place,
): Sought<T> {
  if (!found?.object || (version !== undefined && version !== found.object.version)) throw error.noSuchKey();
  return found as Sought<T>;
}
