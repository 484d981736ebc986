// The storage service's main SQL. Every statement about objects runs under the caller's role unless it states why not.
import type { Database } from "../postgres/database.ts";
import type { Executor } from "../postgres/executor.ts";
import type { RequestScope } from "../postgres/scope/request-scope.ts";
import { escapeLike } from "./list-queries.ts";

/** What reading an object needs to know about its bucket. */
export interface BucketFacts {
  readonly public: boolean;
  readonly avif_autodetection: boolean;
}

export interface BucketRow extends BucketFacts {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly type: string;
  readonly file_size_limit: number | null;
  readonly allowed_mime_types: string[] | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface ObjectMetadata {
  /** Includes the quotes of the HTTP header. */
  readonly eTag: string;
  readonly size: number;
  readonly mimetype: string;
  readonly cacheControl: string;
  readonly lastModified: string;
  readonly contentLength: number;
  readonly httpStatusCode: 200;
  readonly contentEncoding?: string;
}

export interface ObjectRow {
  readonly id: string;
  readonly name: string;
  readonly bucket_id: string;
  readonly owner: string | null;
  readonly owner_id: string | null;
  /** Both are null only in a row written by hand, which has no file. */
  readonly version: string | null;
  readonly metadata: ObjectMetadata | null;
  readonly user_metadata: Record<string, unknown> | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly last_accessed_at: Date;
}

export interface NewObject {
  readonly bucket: string;
  readonly name: string;
  readonly owner: string | undefined;
  readonly version: string;
  readonly metadata: Partial<ObjectMetadata>;
  readonly userMetadata: unknown;
}

const BUCKET = `id, name, coalesce(owner::text, '') as owner, public, avif_autodetection, type, file_size_limit::float8 as file_size_limit,
  allowed_mime_types, created_at, updated_at`;
const OBJECT = `id, name, bucket_id, owner, owner_id, version, metadata, user_metadata, created_at, updated_at,
  last_accessed_at`;
const OBJECT_OF = OBJECT.split(",")
  .map((column) => `o.${column.trim()}`)
  .join(", ");
const UUID = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$";

export const bucketById = (tx: Executor, id: string) =>
  tx.query<BucketRow>(`select ${BUCKET} from storage.buckets where id = $1`, [id]).then(first);

/** A bucket's limits and its publicity apply to everybody, even those who may not list buckets. */
export const bucketRules = (database: Database, id: string) =>
  bucketById(database.asService("a bucket's limits bind callers who may not see it"), id);

export interface BucketListing {
  readonly search: string;
  readonly column: "id" | "name" | "created_at" | "updated_at";
  readonly order: "asc" | "desc";
  readonly limit: number | null;
  readonly offset: number;
}

export const listBuckets = async (tx: Executor, { search, column, order, limit, offset }: BucketListing) =>
  (
    await tx.query<BucketRow>(
      `select ${BUCKET} from storage.buckets where strpos(name, $1) > 0 or $1 = ''
       order by ${column} ${order} limit $2 offset $3`,
      [search, limit, offset],
    )
  ).rows;

export interface BucketSettings {
  readonly public: boolean | undefined;
  readonly fileSizeLimit: number | null | undefined;
  readonly allowedMimeTypes: readonly string[] | null | undefined;
}

export const insertBucket = (tx: Executor, id: string, owner: string | undefined, settings: BucketSettings) =>
  tx.query(
    `insert into storage.buckets (id, name, owner, owner_id, public, file_size_limit, allowed_mime_types)
     values ($1, $1, case when $2::text ~ '${UUID}' then $2::text::uuid end, $2::text, $3, $4, $5)`,
    [id, owner, settings.public ?? false, settings.fileSizeLimit ?? null, settings.allowedMimeTypes ?? null],
  );

/** Undefined values stay as they are. False when this caller has no such bucket. */
export const updateBucket = async (tx: Executor, id: string, settings: BucketSettings) => {
  const result = await tx.query(
    `update storage.buckets set public = coalesce($2, public),
       file_size_limit = case when $3 then $4 else file_size_limit end,
       allowed_mime_types = case when $5 then $6 else allowed_mime_types end
     where id = $1`,
    [
      id,
      settings.public ?? null,
      settings.fileSizeLimit !== undefined,
      settings.fileSizeLimit ?? null,
      settings.allowedMimeTypes !== undefined,
      settings.allowedMimeTypes ?? null,
    ],
  );
  return result.rowCount === 1;
};

export const deleteBucket = async (tx: Executor, id: string) =>
  (await tx.query("delete from storage.buckets where id = $1", [id])).rowCount === 1;

export const bucketHasObjects = async (database: Database, id: string) => {
  const service = database.asService("objects the caller may not see also keep a bucket alive");
  const { rows } = await service.query("select 1 from storage.objects where bucket_id = $1 limit 1", [id]);
  return rows.length > 0;
};

/** A bucket and an object in it, in their current state. */
export interface FoundPlace {
  readonly bucket: BucketFacts;
  readonly object: ObjectRow | undefined;
}

/**
 * Looks up buckets and objects by [bucket, name] in one statement, bypassing the policies, since everybody may read what is public.
 * Undefined: no such bucket.
 */
export const bucketsAndObjects = async (
  database: Database,
  places: readonly (readonly [bucket: string, name: string])[],
): Promise<(FoundPlace | undefined)[]> => {
  const service = database.asService("objects of a public bucket are open to everybody");
  const { rows } = await service.run<
    ObjectRow & { bucket_is_public: boolean | null; bucket_likes_avif: boolean }
  >({
    name: "storage buckets and objects",
    text: `select b.public as bucket_is_public, b.avif_autodetection as bucket_likes_avif, ${OBJECT_OF}
      from unnest($1::text[], $2::text[]) with ordinality as asked (bucket_id, name, at)
      left join storage.buckets b on b.id = asked.bucket_id
      left join storage.objects o on o.bucket_id = b.id and o.name = asked.name
      order by asked.at`,
    values: [places.map(([bucket]) => bucket), places.map(([, name]) => name)],
  });
  return rows.map(({ bucket_is_public, bucket_likes_avif, ...object }) =>
    bucket_is_public === null
      ? undefined
      : {
          bucket: { public: bucket_is_public, avif_autodetection: bucket_likes_avif },
          object: object.id ? (object as ObjectRow) : undefined,
        },
  );
};

export const hasVersion = async (database: Database, version: string) =>
  (await versionsStill(database, [version])).length > 0;

/** Returns those of the versions that a row names. */
export const versionsStill = async (database: Database, versions: readonly string[]) => {
  const service = database.asService("bytes are compared with every row");
  const { rows } = await service.query<{ version: string }>(
    'select version from storage.objects where version collate "C" = any($1)',
    [versions],
  );
  return rows.map((row) => row.version);
};

/** `prefix`: hexadecimal digits. */
export const versionsBeginning = async (database: Database, prefix: string) => {
  const service = database.asService("bytes are compared with every row");
  const { rows } = await service.query<{ version: string }>(
    `select version from storage.objects where version collate "C" >= $1 and version collate "C" < $1 || 'g'`,
    [prefix],
  );
  return rows.map((row) => row.version);
};

const objectNamed = (bucket: string, name: string) => ({
  name: "storage object",
  text: `select ${OBJECT} from storage.objects where bucket_id = $1 and name = $2`,
  values: [bucket, name],
});

export const objectByName = (tx: Executor, bucket: string, name: string) =>
  tx.run<ObjectRow>(objectNamed(bucket, name)).then(first);

/** The same for a caller that needs nothing else: one round trip. */
export const objectFor = (database: Database, caller: RequestScope, bucket: string, name: string) =>
  database.run<ObjectRow>(caller, objectNamed(bucket, name)).then(first);

export const namesAmong = async (tx: Executor, bucket: string, names: readonly string[]) => {
  const { rows } = await tx.query<{ name: string }>(
    "select name from storage.objects where bucket_id = $1 and name = any($2)",
    [bucket, names],
  );
  return new Set(rows.map((row) => row.name));
};

/** No `returning`: a caller may be allowed to write what it may not read. */
export const insertObject = (tx: Executor, id: string, row: NewObject) =>
  tx.query(
    `insert into storage.objects (id, bucket_id, name, owner, owner_id, version, metadata, user_metadata)
     values ($1, $2, $3, case when $4::text ~ '${UUID}' then $4::text::uuid end, $4::text, $5, $6, $7)`,
    [id, ...objectValues(row)],
  );

/**
 * Inserts or replaces, and returns the replaced version (undefined: none). The lock serializes two uploads of one name, so that the one
 * that replaces a file knows it and removes it. The row's lock holds off a move, which would give the version that is about to be removed
 * another name.
 */
export const upsertObject = async (tx: Executor, id: string, row: NewObject) => {
  await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [
    `storage ${row.bucket}/${row.name}`,
  ]);
  const before = await tx.query<Pick<ObjectRow, "version">>(
    "select version from storage.objects where bucket_id = $1 and name = $2 for update",
    [row.bucket, row.name],
  );
  await tx.query(
    `insert into storage.objects (id, bucket_id, name, owner, owner_id, version, metadata, user_metadata)
     values ($1, $2, $3, case when $4::text ~ '${UUID}' then $4::text::uuid end, $4::text, $5, $6, $7)
     on conflict (bucket_id, name) do update set owner = excluded.owner, owner_id = excluded.owner_id,
       version = excluded.version, metadata = excluded.metadata, user_metadata = excluded.user_metadata`,
    [id, ...objectValues(row)],
  );
  return before.rows[0]?.version;
};

const objectValues = (row: NewObject) => [
  row.bucket,
  row.name,
  row.owner,
  row.version,
  JSON.stringify(row.metadata),
  row.userMetadata === undefined ? null : JSON.stringify(row.userMetadata),
];

export const idOf = async (database: Database, bucket: string, name: string) => {
  const service = database.asService("whoever replaced an object is told its id, even without a read policy");
  return (await objectByName(service, bucket, name))?.id;
};

/** False when no row was visible to update. The file keeps its version: only the name moves. */
export const moveObject = async (
  tx: Executor,
  from: [string, string],
  to: [string, string],
  owner?: string,
) => {
  const result = await tx.query(
    `update storage.objects set bucket_id = $3, name = $4, owner_id = coalesce($5, owner_id)
     where bucket_id = $1 and name = $2`,
    [...from, ...to, owner],
  );
  return result.rowCount === 1;
};

/** `versions`: for objects to be deleted only in exactly this version, by name. */
export const deleteObjects = async (
  tx: Executor,
  bucket: string,
  names: readonly string[],
  versions: Readonly<Record<string, string>> = {},
) =>
  (
    await tx.query<ObjectRow>(
      `delete from storage.objects where bucket_id = $1 and name = any($2)
         and version is not distinct from coalesce($3::jsonb ->> name, version) returning ${OBJECT}`,
      [bucket, names, JSON.stringify(versions)],
    )
  ).rows;

export const someNames = async (tx: Executor, bucket: string, limit: number) =>
  (
    await tx.query<{ name: string }>("select name from storage.objects where bucket_id = $1 limit $2", [
      bucket,
      limit,
    ])
  ).rows.map((row) => row.name);

export interface ObjectListing {
  /** Empty or ending in a slash; with `exact` an object's whole name. */
  readonly prefix: string;
  readonly exact: boolean;
  readonly search: string;
  readonly column: "name" | "updated_at" | "created_at" | "last_accessed_at";
  readonly order: "asc" | "desc";
  readonly limit: number;
  readonly offset: number;
}

/** One folder: first its subfolders, which only have a name, then its objects. */
export const listObjects = async (tx: Executor, bucket: string, listing: ObjectListing) => {
  const level = listing.prefix.split("/").length;
  const by =
    listing.column === "name" ? 'name collate "C"' : `${listing.column} ${listing.order}, name collate "C"`;
  const { rows } = await tx.query(
    `with here as (
       select path_tokens[$3] as name, cardinality(path_tokens) > $3 as is_folder, id, updated_at, created_at,
         last_accessed_at, metadata
       from storage.objects
       where bucket_id = $1 and name collate "C" like $2 and path_tokens[$3] ilike $4
     )
     select name, id, updated_at, created_at, last_accessed_at, metadata from (
       select distinct on (name) name, true as is_folder, null::uuid as id, null::timestamptz as updated_at,
         null::timestamptz as created_at, null::timestamptz as last_accessed_at, null::jsonb as metadata
       from here where is_folder
       union all
       select name, false, id, updated_at, created_at, last_accessed_at, metadata from here where not is_folder
     ) entries
     order by is_folder desc, ${by} ${listing.order}
     limit $5 offset $6`,
    [
      bucket,
      `${escapeLike(listing.prefix)}${listing.exact ? "" : "%"}`,
      level,
      `${escapeLike(listing.search)}%`,
      listing.limit,
      listing.offset,
    ],
  );
  return rows;
};

const first = <T>(result: { rows: T[] }): T | undefined => result.rows[0];

class Rollback extends Error {}

/** Runs the work under the caller's role and rolls it back: throws what PostgreSQL would refuse. */
export async function rehearse(
  database: Database,
  caller: RequestScope,
  work: (tx: Executor) => Promise<unknown>,
): Promise<void> {
  try {
    await database.transaction(caller, async (tx) => {
      await work(tx);
      throw new Rollback();
    });
  } catch (error) {
    if (!(error instanceof Rollback)) throw error;
  }
}
