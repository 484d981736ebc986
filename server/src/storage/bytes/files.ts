// What both stores do with files on this machine.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, link, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { StoredFile } from "./object-store.ts";

/** Resolves when every byte is on disk. */
export async function write(path: string, body: AsyncIterable<Uint8Array>): Promise<StoredFile> {
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
export async function digest(path: string): Promise<StoredFile> {
  const hash = createHash("md5");
  let size = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, md5: hash.digest("hex") };
}

/** A hard link costs nothing, but does not work across file systems. The bytes are on disk already. */
export async function linkOrCopy(source: string, path: string): Promise<void> {
  await link(source, path).catch(() => copyWhole(source, path));
}

/** Resolves when every byte is on disk. */
export async function copyWhole(source: string, path: string): Promise<void> {
  await copyFile(source, path);
  const file = await open(path, "r+");
  await file.sync().finally(() => file.close());
}

/** A new name is on disk only once its folder is synced. Windows does not need this and cannot open folders. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}

export async function exists(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** Empty if the folder does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
    throw error;
  });
}

/**
 * When a file got its current name: a hard link does not change the time of the last write. Undefined when it is
 * gone.
 */
export const sinceWhen = (path: string): Promise<number | undefined> =>
  stat(path).then(
    (found) => found.ctimeMs,
    () => undefined,
  );

/** Removes the files of a folder that have not changed since `before`, and returns how many. */
export async function removeOld(
  folder: string,
  isMeant: (name: string) => boolean,
  before: number,
): Promise<number> {
  let removed = 0;
  for (const name of (await namesIn(folder)).filter(isMeant)) {
    const path = join(folder, name);
    const since = await sinceWhen(path);
    if (since === undefined || since >= before) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}
