// Where the bytes of objects live: one immutable file a version, named by a UUID that the server made, so no name a client chose ever
// reaches it. The disk and S3 are two such places.

import type { PipedBody } from "../../platform/piped-body.ts";

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

export interface StoredVersion {
  readonly version: string;
  /** When it came to be here, in milliseconds since the epoch. */
  readonly since: number;
}

export interface ObjectStore {
  /** Resolves when the file is durable and whole under `version`. If the body fails, nothing remains. */
  put(version: string, body: AsyncIterable<Uint8Array>): Promise<StoredFile>;
  /** Takes a file of this machine as `version`'s, durable and whole, and leaves it where it is. Doing it twice is no error. */
  adopt(version: string, path: string): Promise<StoredFile>;
  /** Undefined when the file is lost. */
  read(version: string, range?: ByteRange): Promise<Buffer | PipedBody | undefined>;
  has(version: string): Promise<boolean>;
  /** False when the source is lost. */
  copy(from: string, to: string): Promise<boolean>;
  /** Files that are already gone are no error. */
  remove(versions: readonly string[]): Promise<void>;
  /** What is there under versions that begin with these two hexadecimal digits. */
  list(prefix: string): Promise<StoredVersion[]>;
  /** False where the files are another installation's, which alone knows what of them is left over. */
  isOurs(): Promise<boolean>;
  /** Removes what was begun before then and never finished; returns how many files that were. */
  removeHalves(before: number): Promise<number>;
}

/** Throws for anything but a UUID. */
export function requireVersion(version: string): string {
  if (!isVersion(version)) throw new Error("An object's version is a UUID");
  return version;
}

export const isVersion = (name: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name);
