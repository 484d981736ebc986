// A keeper's uploads in parts, by the TUS protocol: begun, interrupted by crashes, resumed where the server says, cancelled or
// abandoned.
import { setTimeout as sleep } from "node:timers/promises";
import { BACK_WITHIN_MS } from "../server.ts";
import { isDone, isInDoubt, type Answer } from "./calls.ts";
import type { Change, Contents, KeeperDeps } from "./changes.ts";

interface UploadsDeps extends KeeperDeps {
  change(what: Change, after: Contents, send: () => Promise<Answer>): Promise<Answer>;
  asked(what: Change, send: () => Promise<Answer>): Promise<Answer>;
  /** What the bucket contains once the upload is the object. */
  become(name: string, bytes: Buffer): Contents;
  /** The upload has turned out to be the object. */
  finished(name: string, bytes: Buffer): void;
}

export interface Uploads {
  readonly unfinished: number;
  /** How many continued after a crash that interrupted them. */
  readonly resumed: number;
  /** Begins an upload, or sends the next part of one, or cancels one. */
  act(newName: () => string, someName: () => string | undefined, bytes: () => Buffer): Promise<void>;
  /** Asks how far each upload is: what was acknowledged must be there. */
  look(): Promise<void>;
}

interface Begun {
  readonly path: string;
  readonly name: string;
  readonly bytes: Buffer;
  /** Bytes that the server has acknowledged. */
  offset: number;
  interrupted: boolean;
}

const TUS = { "tus-resumable": "1.0.0" };
const MOST_UNFINISHED = 3;

export function createUploads(deps: UploadsDeps): Uploads {
  const { ask, asked, random, bucket, change, fault } = deps;
  const begun = new Set<Begun>();
  let resumed = 0;

  async function begin(name: string, bytes: Buffer): Promise<void> {
    const metadata = Object.entries({ bucketName: bucket, objectName: name })
      .map(([key, value]) => `${key} ${Buffer.from(value).toString("base64")}`)
      .join(",");
    const headers = {
      ...TUS,
      "x-upsert": "true",
      "upload-length": String(bytes.length),
      "upload-metadata": metadata,
    };
    const answer = await asked("upload's creation", () => ask("POST", "/upload/resumable", { headers }));
    if (isDone(answer)) {
      const { pathname } = new URL(answer.headers.get("location")!, "http://server");
      begun.add({ path: pathname, name, bytes, offset: 0, interrupted: false });
    } else if (!isInDoubt(answer))
      fault(`${bucket}: an upload was not begun: ${answer.status} ${answer.bytes.toString()}`);
  }

  async function sendPart(upload: Begun): Promise<void> {
    const { path, name, bytes, offset } = upload;
    const end = random.chance(0.5)
      ? bytes.length
      : Math.min(bytes.length, offset + 1 + random.below(bytes.length));
    const headers = {
      ...TUS,
      "upload-offset": String(offset),
      "content-type": "application/offset+octet-stream",
    };
    const send = () => ask("PATCH", path, { headers, body: bytes.subarray(offset, end) });
    if (end === bytes.length) {
      const answer = await change("last part", deps.become(name, bytes), send);
      if (isDone(answer)) begun.delete(upload);
      noteResumed(upload, answer);
      return;
    }
    const answer = await asked("part", send);
    if (isDone(answer)) upload.offset = end;
    noteResumed(upload, answer);
    if (!isDone(answer) && !isInDoubt(answer))
      fault(`${bucket}/${name}: a part was answered ${answer.status} ${answer.bytes.toString()}`);
  }

  function noteResumed(upload: Begun, answer: Answer): void {
    if (isDone(answer) && upload.interrupted) resumed += 1;
    upload.interrupted = !isDone(answer);
  }

  async function cancel(upload: Begun): Promise<void> {
    const answer = await asked("cancelling", () => ask("DELETE", upload.path, { headers: TUS }));
    begun.delete(upload);
    if (!isDone(answer) && !isInDoubt(answer))
      fault(`${bucket}/${upload.name}: cancelling was answered ${answer.status} ${answer.bytes.toString()}`);
  }

  /** How many bytes the server has. */
  async function offsetOf({ path, name }: Begun): Promise<number | undefined> {
    for (const deadline = Date.now() + BACK_WITHIN_MS; Date.now() < deadline; await sleep(100)) {
      const answer = await ask("HEAD", path, { headers: TUS });
      if (isDone(answer)) return Number(answer.headers.get("upload-offset"));
      if (isInDoubt(answer)) continue;
      fault(`${bucket}/${name}: the upload was acknowledged, and is answered ${answer.status}`);
      return undefined;
    }
    throw new Error(`${path} had no answer within a minute`);
  }

  return {
    get unfinished() {
      return begun.size;
    },
    get resumed() {
      return resumed;
    },
    async act(newName, someName, bytes) {
      const upload = random.pick([...begun]);
      if (upload && random.chance(0.1)) return cancel(upload);
      if (upload && (begun.size >= MOST_UNFINISHED || random.chance(0.75))) return sendPart(upload);
      const used = new Set([...begun].map(({ name }) => name));
      const existing = random.chance(0.4) ? someName() : undefined;
      const value = bytes();
      if (value.length > 0) await begin(existing && !used.has(existing) ? existing : newName(), value);
    },
    async look() {
      for (const upload of begun) {
        const offset = await offsetOf(upload);
        if (offset === undefined) begun.delete(upload);
        else if (offset < upload.offset)
          fault(`${bucket}/${upload.name}: ${upload.offset} bytes were acknowledged, ${offset} are there`);
        else if (offset === upload.bytes.length) {
          begun.delete(upload);
          resumed += 1;
          deps.finished(upload.name, upload.bytes);
        } else upload.offset = offset;
      }
    },
  };
}
