// What PostgreSQL and the store of bytes have in common after a crash: every row has its bytes, whole; and once the sweeper has run,
// nothing else takes room.
import { existsSync, readdirSync } from "node:fs";
import { join, sep } from "node:path";
import { createLog } from "../../../server/src/platform/log.ts";
import { openDatabase } from "../../../server/src/postgres/database.ts";
import { createDiskStore, createStorage } from "../../../server/src/storage/index.ts";
import type { ObjectStore } from "../../../server/src/storage/bytes/object-store.ts";
import { S3Store, type S3Settings } from "../../../server/src/storage/bytes/s3-store.ts";
import { YOUNG_MS } from "../../../server/src/storage/bytes/sweeper.ts";
import { EXPIRES_MS } from "../../../server/src/storage/resumable/upload-records.ts";
import { type Contents, md5 } from "./changes.ts";

type Sql = (text: string) => Promise<Record<string, unknown>[]>;

export interface Audit {
  /** Compares rows with bytes and with what the keepers know. Returns what is wrong. */
  compare(known: ReadonlyMap<string, Contents>): Promise<string[]>;
  /**
   * Runs the sweeper as an hour later, or with `all` as a day later, when unfinished uploads have expired, and looks for what it left.
   * Nobody may be changing anything.
   */
  sweep(databaseUrl: string, all: boolean): Promise<{ removed: number; faults: string[] }>;
}

/** `s3`: where the bytes are, if not on disk. */
export function createAudit(
  dataDir: string,
  sql: Sql,
  s3?: { settings: S3Settings; directory: string },
): Audit {
  const folder = (name: string) => join(dataDir, name);
  const places = { staging: folder("storage-staging"), idFile: folder("storage-owner") };
  const store: ObjectStore = s3 ? new S3Store(s3.settings, places) : createDiskStore(folder("storage"));

  async function compare(known: ReadonlyMap<string, Contents>): Promise<string[]> {
    const faults: string[] = [];
    const rows = await rowsOf(sql);
    for (const { bucket, name, version, size, tag } of rows) {
      const body = await store.read(version).catch(() => undefined);
      const bytes = body && Buffer.from(await new Response(body as BodyInit).arrayBuffer());
      if (bytes?.length !== size || `"${md5(bytes)}"` !== tag)
        faults.push(
          `the row of ${bucket}/${name} says ${size} bytes, and ${bytes ? `${bytes.length} others` : "none"} are there`,
        );
      if (known.has(bucket) && !known.get(bucket)?.has(name))
        faults.push(`${bucket}/${name} has a row that nobody knows`);
    }
    return faults;
  }

  async function sweep(databaseUrl: string, all: boolean) {
    const database = openDatabase(databaseUrl, { sizes: { requests: 1, service: 2 } });
    const clock = { now: () => Date.now() + YOUNG_MS + 60_000 + (all ? EXPIRES_MS : 0) };
    const storage = createStorage({
      ...{ database, objectStore: store, clock, log: createLog("silent"), secret: "signs nothing" },
      ...{ renders: folder("storage-renders"), uploads: folder("storage-uploads") },
    });
    try {
      const swept = await storage.sweep();
      const faults = swept.lost.map((version) => `the sweeper reports that the bytes of ${version} are lost`);
      if (swept.left > 0) faults.push(`the sweeper left ${swept.left} files`);
      faults.push(...leftovers(new Set((await rowsOf(sql)).map(({ version }) => version)), all));
      return { removed: swept.removed + swept.pictures + swept.uploads, faults };
    } finally {
      await storage.close();
      await database.close();
    }
  }

  function leftovers(versions: ReadonlySet<string>, all: boolean): string[] {
    const stored = s3 ? versionsInS3(s3.directory) : filesBelow(folder("storage"));
    return [
      ...stored.filter((path) => !versions.has(path.split(sep).at(-1)!)),
      ...filesBelow(places.staging),
      ...(all ? filesBelow(folder("storage-uploads")) : []),
      ...namesIn(folder("storage-renders")).filter((version) => !versions.has(version)),
    ].map((path) => `the sweeper left ${path}`);
  }

  return { compare, sweep };
}

async function rowsOf(sql: Sql) {
  const rows =
    await sql(`select bucket_id as bucket, name, version, (metadata ->> 'size')::int as size, metadata ->> 'eTag' as tag
    from storage.objects`);
  return rows as unknown as { bucket: string; name: string; version: string; size: number; tag: string }[];
}

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

const filesBelow = (folder: string) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];

/** s3rver keeps each object's bytes in a file named after its key. */
const versionsInS3 = (directory: string) => {
  const ending = "._S3rver_object";
  return filesBelow(directory)
    .filter((path) => path.endsWith(ending))
    .map((path) => path.slice(0, -ending.length))
    .filter((path) => !path.endsWith(`${sep}owner`));
};
