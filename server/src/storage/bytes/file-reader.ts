// Sends a file's bytes. A small file is read at once; a large one in chunks four times Node's own, since each costs a turn through
// streams and sockets that does not depend on its size. At most two chunks of a request are in memory.
import { type FileHandle, open } from "node:fs/promises";
import { PipedBody } from "../../platform/piped-body.ts";
import type { ByteRange } from "./object-store.ts";

/** Up to this much is read in one piece. */
const WHOLE = 256 * 1024;
const CHUNK = 256 * 1024;

/** Undefined when the file is not there. */
export async function readFile(
  path: string,
  range: ByteRange | undefined,
): Promise<Buffer | PipedBody | undefined> {
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (!file) return undefined;
  try {
    const start = range?.start ?? 0;
    const length = range ? range.end + 1 - start : (await file.stat()).size;
    if (length > WHOLE) return await piped(file, start, length);
    const bytes = await readAt(file, start, length);
    await file.close();
    return bytes;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Its stream closes the file. */
async function piped(file: FileHandle, start: number, length: number): Promise<PipedBody> {
  const { size } = await file.stat();
  if (size < start + length) throw shorter();
  return new PipedBody(() => file.createReadStream({ start, end: start + length - 1, highWaterMark: CHUNK }));
}

/** Exactly so many bytes. Throws when the file has fewer. */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) throw shorter();
    filled += bytesRead;
  }
  return bytes;
}

const shorter = () => new Error("A stored file is shorter than it was");
