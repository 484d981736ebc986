// Sends a file's bytes. A small file is read at once; a large one in chunks four times Node's own, since each costs a turn through
// streams and sockets that does not depend on its size. At most two chunks of a request are in memory.
import { type FileHandle, open } from "node:fs/promises";
import type { ByteRange } from "./object-store.ts";

/** Up to this much is read in one piece. */
const WHOLE = 256 * 1024;
const CHUNK = 256 * 1024;

/** Undefined when the file is not there. */
export async function readFile(
  path: string,
  range: ByteRange | undefined,
): Promise<Buffer | ReadableStream<Uint8Array> | undefined> {
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (!file) return undefined;
  try {
    const start = range?.start ?? 0;
    const end = range ? range.end + 1 : (await file.stat()).size;
    if (end - start > WHOLE) return streamOf(file, start, end);
    const bytes = await readAt(file, start, end - start);
    await file.close();
    return bytes;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function streamOf(file: FileHandle, start: number, end: number): ReadableStream<Uint8Array> {
  let at = start;
  return new ReadableStream({
    async pull(stream) {
      try {
        const bytes = await readAt(file, at, Math.min(CHUNK, end - at));
        at += bytes.length;
        stream.enqueue(bytes);
        if (at < end) return;
        await file.close();
        stream.close();
      } catch (error) {
        await file.close();
        throw error;
      }
    },
    cancel: () => file.close(),
  });
}

/** Exactly so many bytes. Throws when the file has fewer. */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) throw new Error("A stored file is shorter than it was");
    filled += bytesRead;
  }
  return bytes;
}
