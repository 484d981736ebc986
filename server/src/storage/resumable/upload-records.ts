// What the server knows of unfinished uploads, a JSON file beside the bytes of each: it survives a restart. Written whole or not at all.
import { randomUUID } from "node:crypto";
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Upload } from "@tus/server";

/** Who may send to an upload, and where it goes. */
export interface Grant {
  readonly bucket: string;
  readonly name: string;
  /** The account that began it; null for visitors, who know its address. */
  readonly owner: string | null;
  readonly upsert: boolean;
}

interface UploadRecord {
  readonly upload: Upload;
  readonly grant: Grant;
  /** Set when the object is there: its bytes lie in the object store and no longer here. */
  readonly finished?: true;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Also the library's configuration store, which knows the `upload` alone. */
export class UploadRecords {
  readonly directory: string;
  readonly #granted = new Map<string, Grant>();

  constructor(directory: string) {
    this.directory = directory;
  }

  pathOf(id: string): string {
    if (!ID.test(id)) throw new Error("An upload's id is a UUID");
    return join(this.directory, id);
  }

  /** Remembers for whom the upload that is about to be created is. */
  grant(id: string, grant: Grant): void {
    this.#granted.set(id, grant);
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

  /** Keeps the record until it expires, for a client that did not hear the last answer, and gives up the bytes. */
  async finish(id: string): Promise<void> {
    const record = await this.read(id);
    if (record) await this.#write(id, { ...record, finished: true });
    await rm(this.pathOf(id), { force: true });
  }

  /** Whether every byte of it arrived. */
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
    await rm(`${this.pathOf(id)}.json`, { force: true });
  }

  /** Removes what nobody continued for as long as this, and returns how many files that were. */
  async sweep(olderThanMs: number, now: number): Promise<number> {
    let removed = 0;
    for (const name of await readdir(this.directory).catch(() => [])) {
      const path = join(this.directory, name);
      const changed = await stat(path).then(
        (found) => found.mtimeMs,
        () => now,
      );
      const record = await this.read(name.slice(0, 36)).catch(() => undefined);
      const begun = record?.upload.creation_date ? Date.parse(record.upload.creation_date) : changed;
      if (now - begun < olderThanMs) continue;
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
