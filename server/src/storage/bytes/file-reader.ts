// Sends a file's bytes. A small file is read at once; a large one in chunks four times Node's own, since each costs a turn through the
// socket that does not depend on its size. Two chunks of a request are in memory, and are used again: through a stream, with a new
// one for each read, 1 MB took twice as much of the processor and 50 MB a third more.
import { type FileHandle, open } from "node:fs/promises";
import type { Writable } from "node:stream";
import { PipedBody } from "../../platform/piped-body.ts";
import type { ByteRange } from "./object-store.ts";

/** Up to this much is read in one piece. */
const WHOLE = 256 * 1024;
const CHUNK = 256 * 1024;
/** Chunks that wait for the next request. */
const MOST_SPARE = 16;

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

/** Whoever reads it closes the file. */
async function piped(file: FileHandle, start: number, length: number): Promise<PipedBody> {
  const { size } = await file.stat();
  if (size < start + length) throw shorter();
  return new PipedBody(
    () => file.createReadStream({ start, end: start + length - 1, highWaterMark: CHUNK }),
    (reader) => void send(file, start, start + length, reader),
  );
}

const spare: Buffer[] = [];

/** Never rejects: a file that fails halfway breaks its reader off, so that nobody takes it for whole. */
async function send(file: FileHandle, start: number, end: number, reader: Writable): Promise<void> {
  const chunks = [spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK), spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK)];
  try {
    await sendThrough(chunks, file, start, end, reader);
    reader.end();
    // Only now: what broke off may still be on its way to the network.
    if (spare.length < MOST_SPARE) spare.push(...chunks);
  } catch {
    reader.destroy();
  } finally {
    await file.close().catch(() => {});
  }
}

/** Reads into one chunk while the other leaves. */
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
    leaving.catch(() => {}); // heard by the next turn
  }
  await leaving;
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
