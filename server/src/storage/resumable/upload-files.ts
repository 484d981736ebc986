// The bytes of unfinished uploads, through the TUS library's own file store. It also answers for a finished upload, whose bytes have
// moved on, and acknowledges nothing that is not on disk.
import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { FileStore } from "@tus/file-store";
import { Upload } from "@tus/server";
import { noRoom, noSuchUpload, tooLarge } from "../errors.ts";
import type { UploadRecords } from "./upload-records.ts";

export class UploadFiles extends FileStore {
  readonly #records: UploadRecords;
  readonly #largestOf: (id: string) => Promise<number>;

  /** `largestOf`: the total bytes that an upload may have. The library knows them only once it has been created. */
  constructor(records: UploadRecords, expiresAfterMs: number, largestOf: (id: string) => Promise<number>) {
    super({
      directory: records.directory,
      configstore: records,
      expirationPeriodInMilliseconds: expiresAfterMs,
    });
    this.#records = records;
    this.#largestOf = largestOf;
  }

  override async getUpload(id: string): Promise<Upload> {
    const record = await this.#records.read(id);
    if (!record?.finished) return super.getUpload(id);
    return new Upload({ ...record.upload, id, offset: record.upload.size ?? 0 });
  }

  /** What arrived before a client disconnected is kept, and counts. */
  override async write(body: Readable, id: string, offset: number): Promise<number> {
    const path = this.#records.pathOf(id);
    const largest = await this.#largestOf(id);
    let written = 0;
    async function* counted(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        if (offset + written + chunk.length > largest) throw tooLarge();
        written += chunk.length;
        yield chunk;
      }
    }
    const file = createWriteStream(path, { flags: "r+", start: offset });
    try {
      await pipeline(body, counted, file);
      await sync(path);
    } catch (error) {
      // Removed meanwhile by another upload of the object.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") throw noSuchUpload();
      throw noRoom(error) ?? error;
    }
    return offset + written;
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r+");
  await file.sync().finally(() => file.close());
}
