// The SQL of list-v2: pages of a bucket by cursor. By name, each entry costs one index probe, however much lies below a folder.
// By time, everything below the prefix is sorted.
import type { Executor } from "../postgres/executor.ts";

export interface Page {
  readonly prefix: string;
  /** Whether everything below a further slash is folded into one entry, a folder. */
  readonly folded: boolean;
  /** Only the object whose whole name is the prefix. */
  readonly exact: boolean;
  readonly column: "name" | "created_at" | "updated_at";
  readonly order: "asc" | "desc";
  /** Where the previous page ended. `at` is only set where the column is a time. */
  readonly after: { readonly name: string; readonly at: string | undefined } | undefined;
  readonly limit: number;
}

export interface Entry {
  /** The object's name, or the folder's with its slash. */
  readonly name: string;
  /** Null in a folder. */
  readonly id: string | null;
  readonly created_at: Date | null;
  readonly updated_at: Date | null;
  readonly last_accessed_at: Date | null;
  readonly metadata: unknown;
  readonly at: Date | null;
}

const COLUMNS = "o.id, o.created_at, o.updated_at, o.last_accessed_at, o.metadata";

export const pageOf = async (tx: Executor, bucket: string, page: Page): Promise<Entry[]> =>
  (await (page.column === "name" ? byName(tx, bucket, page) : byTime(tx, bucket, page))).rows;

/** What an object is listed as: itself, or the folder below the prefix that contains it. */
const entryOf = (
  prefix: string,
  folded: string,
) => `case when ${folded} and strpos(substr(o.name, char_length(${prefix}) + 1), '/') > 0
  then left(o.name, char_length(${prefix}) + strpos(substr(o.name, char_length(${prefix}) + 1), '/')) else o.name end`;

const isFolder = "entry.name <> entry.object";

/**
 * Steps from entry to entry. `object` is the first object of the entry, `name` the entry itself. Names contain no character below
 * a space, and a folder ends in a slash, whose next character is 0.
 */
function byName(tx: Executor, bucket: string, page: Page) {
  const ascending = page.order === "asc";
  const next = ascending
    ? `o.name collate "C" >= case when ${isFolder} then left(entry.name, -1) || '0' else entry.name || E'\\x01' end`
    : `o.name collate "C" < entry.name collate "C"`;
  const first = ascending
    ? `$4::text is null or o.name collate "C" >= $4`
    : `$4::text is null or o.name collate "C" < $4`;
  const found = (condition: string) => `
    select ${entryOf("$2::text", "$3::boolean")} collate "C" as name, o.name collate "C" as object
    from storage.objects o
    where o.bucket_id = $1 and o.name collate "C" like $5 and (not $6::boolean or o.name = $2) and (${condition})
    order by o.name collate "C" ${page.order} limit 1`;
  const after = page.after?.name;
  const text = `with recursive entry as (
      (${found(first)})
      union all
      select further.* from entry cross join lateral (${found(next)}) further
    ), paged as (select * from entry limit $7)
    select entry.name, ${COLUMNS}, null::timestamptz as at
    from paged entry left join storage.objects o on o.bucket_id = $1 and o.name = entry.object and not (${isFolder})
    order by entry.name ${page.order}`;
  const resumes = after === undefined ? null : ascending ? beyond(after) : after;
  return tx.query<Entry & Record<string, unknown>>(text, [
    ...[bucket, page.prefix, page.folded, resumes],
    ...[`${escapeLike(page.prefix)}%`, page.exact, page.limit],
  ]);
}

/** The smallest name that comes after an entry and everything in it. */
const beyond = (name: string) => (name.endsWith("/") ? `${name.slice(0, -1)}0` : `${name}\u0001`);

/** A folder has the time of its first object in the requested order. Cursors carry milliseconds, so rows are compared by them. */
function byTime(tx: Executor, bucket: string, { column, order, ...page }: Page) {
  const compare = order === "asc" ? ">" : "<";
  const text = `select name, id, created_at, updated_at, last_accessed_at, metadata, at from (
      select distinct on (entry.name) entry.name, entry.at,
        case when ${isFolder} then null else entry.id end as id,
        case when ${isFolder} then null else entry.created_at end as created_at,
        case when ${isFolder} then null else entry.updated_at end as updated_at,
        case when ${isFolder} then null else entry.last_accessed_at end as last_accessed_at,
        case when ${isFolder} then null else entry.metadata end as metadata
      from (
        select ${entryOf("$2::text", "$3::boolean")} collate "C" as name, o.name as object,
          date_trunc('milliseconds', o.${column}) as at, ${COLUMNS}
        from storage.objects o
        where o.bucket_id = $1 and o.name collate "C" like $4 and (not $5::boolean or o.name = $2)
      ) entry
      order by entry.name, entry.at ${order}
    ) listed
    where $6::text is null or (at, name) ${compare} ($7::timestamptz, $6 collate "C")
    order by at ${order}, name ${order} limit $8`;
  return tx.query<Entry & Record<string, unknown>>(text, [
    ...[bucket, page.prefix, page.folded, `${escapeLike(page.prefix)}%`, page.exact],
    ...[page.after?.name ?? null, page.after?.at ?? null, page.limit],
  ]);
}

export const escapeLike = (text: string) => text.replace(/[\\%_]/g, "\\$&");
