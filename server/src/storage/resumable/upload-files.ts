// The bytes of unfinished uploads, through the TUS library's own file store. It answers for a finished upload as well, whose bytes have
// gone on, and acknowledges nothing that is not on disk.
import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { FileStore } from "@tus/file-store";
import { Upload } from "@tus/server";
import { noRoom } from "../errors.ts";
import type { UploadRecords } from "./upload-records.ts";

export class UploadFiles extends FileStore {
  readonly #records: UploadRecords;

  constructor(records: UploadRecords, expiresAfterMs: number) {
    super({
      directory: records.directory,
      configstore: records,
      expirationPeriodInMilliseconds: expiresAfterMs,
    });
    this.#records = records;
  }

  override async getUpload(id: string): Promise<Upload> {
    const record = await this.#records.read(id);
    if (!record?.finished) return super.getUpload(id);
    return new Upload({ ...record.upload, id, offset: record.upload.size ?? 0 });
  }

  /** What arrived before a client broke off stays, and counts. */
  override async write(body: Readable, id: string, offset: number): Promise<number> {
    const path = this.#records.pathOf(id);
    let written = 0;
    body.on("data", (chunk: Buffer) => (written += chunk.length));
    const file = createWriteStream(path, { flags: "r+", start: offset });
    try {
      await pipeline(body, file);
    } catch (error) {
      throw noRoom(error) ?? error;
    }
    await sync(path);
    return offset + written;
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r+");
  await file.sync().finally(() => file.close());
}
