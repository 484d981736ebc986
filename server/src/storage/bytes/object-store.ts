// Where the bytes of objects live: one immutable file a version. Hides how a file becomes durable. File names are version
// UUIDs made by the server, so no name a client chose ever reaches the file system.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, link, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";

export interface StoredFile {
  readonly size: number;
  /** Hexadecimal MD5, the ETag S3 would give. */
  readonly md5: string;
}

/** First and last byte, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface ObjectStore {
  /** Resolves when the file is durable and whole under `version`. If the body fails, nothing remains. */
  put(version: string, body: AsyncIterable<Uint8Array>): Promise<StoredFile>;
  /** Takes a file of this machine as `version`'s, durable and whole, and leaves it where it is. Doing it twice is no error. */
  adopt(version: string, path: string): Promise<StoredFile>;
  /** Undefined when the file is lost. */
  read(version: string, range?: ByteRange): Promise<ReadableStream<Uint8Array> | undefined>;
  /** False when the source is lost. */
  copy(from: string, to: string): Promise<boolean>;
  /** Files that are already gone are no error. */
  remove(versions: readonly string[]): Promise<void>;
}

/** Files below `directory`, spread over 256 folders. */
export function createDiskStore(directory: string): ObjectStore {
  const pathOf = (version: string) => {
    if (!/^[0-9a-f-]{36}$/.test(version)) throw new Error("An object's version is a UUID");
    return join(directory, version.slice(0, 2), version);
  };

  /** Runs `write` on a temporary path, then makes the result durable under its final name. */
  async function publish<T>(path: string, write: (temporary: string) => Promise<T>): Promise<T> {
    const temporary = `${path}.part`;
    const made = await mkdir(dirname(path), { recursive: true });
    if (made) for (const parent of new Set([dirname(made), directory])) await syncDirectory(parent);
    try {
      const result = await write(temporary);
      await rename(temporary, path);
      await syncDirectory(dirname(path));
      return result;
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  return {
    put: async (version, body) => publish(pathOf(version), (temporary) => write(temporary, body)),

    async adopt(version, source) {
      const path = pathOf(version);
      const file = await digest(source);
      if (!(await exists(path))) await publish(path, (temporary) => linkOrCopy(source, temporary));
      return file;
    },

    async read(version, range) {
      const path = pathOf(version);
      if (!(await exists(path))) return undefined;
      const stream = createReadStream(path, range ? { start: range.start, end: range.end } : {});
      return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
    },

    async copy(from, to) {
      const source = pathOf(from);
      if (!(await exists(source))) return false;
      await publish(pathOf(to), (temporary) => copyWhole(source, temporary));
      return true;
    },

    async remove(versions) {
      await Promise.all(versions.map((version) => rm(pathOf(version), { force: true })));
    },
  };
}

/** Resolves when every byte is on disk. */
async function write(path: string, body: AsyncIterable<Uint8Array>): Promise<StoredFile> {
  const file = await open(path, "wx");
  const hash = createHash("md5");
  let size = 0;
  try {
    for await (const chunk of body) {
      hash.update(chunk);
      size += chunk.byteLength;
      for (let written = 0; written < chunk.byteLength;) {
        written += (await file.write(chunk, written)).bytesWritten;
      }
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { size, md5: hash.digest("hex") };
}

/** Size and MD5 of a file. */
async function digest(path: string): Promise<StoredFile> {
  const hash = createHash("md5");
  let size = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, md5: hash.digest("hex") };
}

/** A second name for the same bytes costs nothing; another file system has none. The bytes are on disk already. */
async function linkOrCopy(source: string, path: string): Promise<void> {
  await rm(path, { force: true });
  await link(source, path).catch(() => copyWhole(source, path));
}

/** Resolves when every byte is on disk. */
async function copyWhole(source: string, path: string): Promise<void> {
  await copyFile(source, path);
  const file = await open(path, "r+");
  await file.sync().finally(() => file.close());
}

/** A new name is on disk only once its folder is. Windows neither needs it nor opens folders. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}

async function exists(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
