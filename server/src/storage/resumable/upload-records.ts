// What the server knows about unfinished uploads, in a JSON file next to the bytes of each, so that it survives a restart. Written
// atomically.
import { randomUUID } from "node:crypto";
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Upload } from "@tus/server";
import { noSuchUpload, slowDown } from "../errors.ts";

/** Who may send to an upload, and its destination. */
export interface Grant {
  readonly bucket: string;
  readonly name: string;
  /** The account that created it; null for visitors, who know its address. */
  readonly owner: string | null;
  readonly upsert: boolean;
}

interface UploadRecord {
  readonly upload: Upload;
  readonly grant: Grant;
  /** The version under which the last attempt stored the object. */
  readonly version?: string;
  /** Set when the object exists: its bytes are then in the object store, not here. */
  readonly finished?: true;
}

/**
 * The limit of unfinished uploads of one object by one account, or by the holders of one signed address: each may occupy as much disk
 * for a day as the object may have.
 */
const MOST_OF_ONE_OBJECT = 2;

/** Unfinished uploads expire after a day, as on the platform. */
export const EXPIRES_MS = 24 * 60 * 60 * 1000;

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Also the library's configuration store, which only knows the `upload`. */
export class UploadRecords {
  readonly directory: string;
  readonly #granted = new Map<string, Grant>();
  /** The object of each unfinished upload, by id, oldest first. Read from the folder once. */
  #unfinished: Promise<Map<string, string>> | undefined;

  constructor(directory: string) {
    this.directory = directory;
  }

  pathOf(id: string): string {
    if (!ID.test(id)) throw new Error("An upload's id is a UUID");
    return join(this.directory, id);
  }

  /**
   * Records the grant of an upload about to be created. If there are too many for one object, removes the oldest that nobody is sending
   * to. Throws SlowDown when all are in use.
   */
  async grant(id: string, grant: Grant, isInUse: (id: string) => boolean): Promise<void> {
    const unfinished = await (this.#unfinished ??= this.#readUnfinished());
    const object = objectOf(grant);
    const others = [...unfinished.keys()].filter((other) => unfinished.get(other) === object);
    const idle = others.length < MOST_OF_ONE_OBJECT ? undefined : others.find((other) => !isInUse(other));
    if (others.length >= MOST_OF_ONE_OBJECT && idle === undefined) throw slowDown();
    unfinished.set(id, object);
    this.#granted.set(id, grant);
    if (idle === undefined) return;
    unfinished.delete(idle);
    await this.remove(idle);
  }

  async #readUnfinished(): Promise<Map<string, string>> {
    const names = await readdir(this.directory).catch(() => []);
    const ids = names.filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -".json".length));
    const records = await Promise.all(
      ids
        .filter((id) => ID.test(id))
        .map(async (id) => ({ id, record: await this.read(id).catch(() => undefined) })),
    );
    const begun = (record: UploadRecord) => Date.parse(record.upload.creation_date ?? "");
    return new Map(
      records
        .flatMap(({ id, record }) => (record && !record.finished ? [{ id, record }] : []))
        .toSorted((a, b) => begun(a.record) - begun(b.record))
        .map(({ id, record }) => [id, objectOf(record.grant)]),
    );
  }

  async read(id: string): Promise<UploadRecord | undefined> {
    try {
      return JSON.parse(await readFile(`${this.pathOf(id)}.json`, "utf8")) as UploadRecord;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  async get(id: string): Promise<Upload | undefined> {
    return (await this.read(id))?.upload;
  }

  async set(id: string, upload: Upload): Promise<void> {
    const grant = this.#granted.get(id) ?? (await this.read(id))?.grant;
    this.#granted.delete(id);
    if (!grant) throw new Error("An upload is created for somebody");
    await this.#write(id, { upload, grant });
  }

  /** Records a new version to store the object under, before there are bytes of it. */
  async attempt(id: string): Promise<string> {
    const record = await this.read(id);
    if (!record) throw noSuchUpload();
    const version = randomUUID();
    await this.#write(id, { ...record, version });
    return version;
  }

  /** Keeps the record until it expires, for a client that missed the last response, and drops the bytes. */
  async finish(id: string): Promise<void> {
    const record = await this.read(id);
    if (record) await this.#write(id, { ...record, finished: true });
    await this.#forget(id);
    await rm(this.pathOf(id), { force: true });
  }

  /** Whether all of its bytes arrived. */
  async isWhole(id: string): Promise<boolean> {
    const record = await this.read(id);
    const { size } = await stat(this.pathOf(id)).catch(() => ({ size: -1 }));
    return record?.upload.size === size;
  }

  async remove(id: string): Promise<void> {
    await rm(this.pathOf(id), { force: true });
    await this.delete(id);
  }

  async delete(id: string): Promise<void> {
    await this.#forget(id);
    await rm(`${this.pathOf(id)}.json`, { force: true });
  }

  async #forget(id: string): Promise<void> {
    (await this.#unfinished)?.delete(id);
  }

  /** Removes uploads that have expired, and returns how many files that were. */
  async sweep(now: number): Promise<number> {
    let removed = 0;
    for (const name of await readdir(this.directory).catch(() => [])) {
      const path = join(this.directory, name);
      const changed = await stat(path).then(
        (found) => found.mtimeMs,
        () => now,
      );
      const record = await this.read(name.slice(0, 36)).catch(() => undefined);
      const begun = record?.upload.creation_date ? Date.parse(record.upload.creation_date) : changed;
      if (now - begun < EXPIRES_MS) continue;
      await this.#forget(name.slice(0, 36));
      await rm(path, { force: true });
      removed += 1;
    }
    return removed;
  }

  async #write(id: string, record: UploadRecord): Promise<void> {
    const temporary = `${this.pathOf(id)}.${randomUUID()}.part`;
    await writeFile(temporary, JSON.stringify(record));
    await rename(temporary, `${this.pathOf(id)}.json`);
  }
}

const objectOf = ({ bucket, name, owner }: Grant) => JSON.stringify([bucket, name, owner]);
