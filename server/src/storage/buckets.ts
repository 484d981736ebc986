// The life of buckets. Policies on storage.buckets decide who may do what; this adds the limits and the check
// for emptiness.
import type { Database } from "../postgres/database.ts";
import type { RequestScope } from "../postgres/scope/request-scope.ts";
import * as error from "./errors.ts";
import { parseSize, requireBucketName } from "./names.ts";
import type { ObjectStore } from "./bytes/object-store.ts";
import { versionsOf } from "./objects.ts";
import * as queries from "./queries.ts";

export interface BucketInput {
  readonly public?: boolean | undefined;
  readonly file_size_limit?: number | string | null | undefined;
  readonly allowed_mime_types?: readonly string[] | null | undefined;
}

export type Buckets = ReturnType<typeof createBuckets>;

const EMPTY_BATCH = 500;

/** `globalLimit`: bytes of the largest object any bucket may allow. */
export function createBuckets(database: Database, store: ObjectStore, globalLimit: number) {
  const as = async <T>(
    caller: RequestScope,
    work: Parameters<typeof database.transaction<T>>[1],
  ): Promise<T> => {
    try {
      return await database.transaction(caller, work);
    } catch (failure) {
      throw error.fromDatabase(failure, "BucketAlreadyExists");
    }
  };

  const settings = (input: BucketInput): queries.BucketSettings => {
    const limit = input.file_size_limit;
    const fileSizeLimit = limit === null || limit === undefined ? limit : parseSize(limit);
    if (fileSizeLimit && fileSizeLimit > globalLimit) throw error.tooLarge();
    return { public: input.public, fileSizeLimit, allowedMimeTypes: input.allowed_mime_types };
  };

  return {
    async create(caller: RequestScope, name: string, input: BucketInput) {
      const id = requireBucketName(name);
      await as(caller, (tx) => queries.insertBucket(tx, id, caller.claims.sub, settings(input)));
      return { name: id };
    },

    list: (caller: RequestScope, listing: queries.BucketListing) =>
      as(caller, (tx) => queries.listBuckets(tx, listing)),

    async get(caller: RequestScope, id: string) {
      const bucket = await as(caller, (tx) => queries.bucketById(tx, id));
      if (!bucket) throw error.noSuchBucket();
      return bucket;
    },

    async update(caller: RequestScope, id: string, input: BucketInput) {
      const found = await as(caller, (tx) => queries.updateBucket(tx, id, settings(input)));
      if (!found) throw error.noSuchBucket();
    },

    async remove(caller: RequestScope, id: string) {
      await as(caller, async (tx) => {
        if (!(await queries.bucketById(tx, id))) throw error.noSuchBucket();
        if (await queries.bucketHasObjects(database, id)) throw error.bucketNotEmpty();
        if (!(await queries.deleteBucket(tx, id))) throw error.noSuchBucket();
      });
    },

    /** Removes every object the caller can see, and stops at one that the caller may not delete. */
    async empty(caller: RequestScope, id: string) {
      await this.get(caller, id);
      for (;;) {
        const { names, deleted } = await as(caller, async (tx) => {
          const seen = await queries.someNames(tx, id, EMPTY_BATCH);
          return { names: seen, deleted: seen.length > 0 ? await queries.deleteObjects(tx, id, seen) : [] };
        });
        await store.remove(versionsOf(deleted));
        if (names.length === 0) return;
        if (deleted.length === 0) throw error.cannotEmpty();
      }
    },
  };
}
