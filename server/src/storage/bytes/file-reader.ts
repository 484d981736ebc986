// Sends a file's bytes. A small file is read at once, a large one in chunks four times the size of Node's, because each chunk costs a
// turn through the socket that does not depend on its size. Each request has two chunks in memory, which are reused: through a stream,
// with a new chunk for each read, 1 MB took twice as much processor time and 50 MB a third more.
import { type FileHandle, open } from "node:fs/promises";
import type { Writable } from "node:stream";
import { PipedBody } from "../../platform/http/piped-body.ts";
import type { ByteRange } from "./object-store.ts";

/** Up to this size, a file is read in one piece. */
const WHOLE = 256 * 1024;
const CHUNK = 256 * 1024;
/** Chunks kept for the next request. */
const MOST_SPARE = 16;

/** Undefined when the file does not exist. */
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

/** The reader closes the file. */
async function piped(file: FileHandle, start: number, length: number): Promise<PipedBody> {
  const { size } = await file.stat();
  if (size < start + length) throw shorter();
  return new PipedBody(
    () => file.createReadStream({ start, end: start + length - 1, highWaterMark: CHUNK }),
    (reader) => void send(file, start, start + length, reader),
  );
}

const spare: Buffer[] = [];

/** Never rejects: a file that fails halfway aborts the response, so that nobody takes it for complete. */
async function send(file: FileHandle, start: number, end: number, reader: Writable): Promise<void> {
  const chunks = [spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK), spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK)];
  try {
    await sendThrough(chunks, file, start, end, reader);
    reader.end();
    // Only now: after an abort, chunks may still be on their way to the network.
    if (spare.length < MOST_SPARE) spare.push(...chunks);
  } catch {
    reader.destroy();
  } finally {
    await file.close().catch(() => {});
  }
}

/** Reads into one chunk while the other is sent. */
async function sendThrough(
  chunks: readonly Buffer[],
  file: FileHandle,
  start: number,
  end: number,
  reader: Writable,
): Promise<void> {
  const gone = Promise.withResolvers<never>();
  gone.promise.catch(() => {});
  reader.once("close", () => gone.reject(new Error("The reader has left")));
  let leaving = Promise.resolve();
  for (let [at, turn] = [start, 0]; at < end; turn = 1 - turn) {
    const chunk = chunks[turn]!;
    const { bytesRead } = await file.read(chunk, 0, Math.min(CHUNK, end - at), at);
    if (bytesRead === 0) throw shorter();
    at += bytesRead;
    await leaving;
    const left = new Promise<void>((done, fail) => {
      reader.write(chunk.subarray(0, bytesRead), (error) => (error ? fail(error) : done()));
    });
    leaving = Promise.race([left, gone.promise]);
    leaving.catch(() => {}); // the next turn handles the error
  }
  await leaving;
}

/** Returns exactly that many bytes. Throws when the file has fewer. */
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
