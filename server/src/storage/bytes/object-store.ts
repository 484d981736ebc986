// Where the bytes of objects are stored: one immutable file per version, named by a UUID that the server generated, so no name chosen
// by a client reaches the store. Disk and S3 both implement it.

import type { PipedBody } from "../../platform/http/piped-body.ts";

export interface StoredFile {
  readonly size: number;
  /** Hexadecimal MD5, the ETag that S3 would give. */
  readonly md5: string;
}

/** First and last byte, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface StoredVersion {
  readonly version: string;
  /** When it was stored, in milliseconds since the epoch. */
  readonly since: number;
}

export interface ObjectStore {
  /** Resolves when the file is durable and complete under `version`. If the body fails, nothing remains. */
  put(version: string, body: AsyncIterable<Uint8Array>): Promise<StoredFile>;
  /** Stores a file on this machine as `version`, durable and complete, and leaves the original in place. */
  adopt(version: string, path: string): Promise<StoredFile>;
  /** Undefined when the file is lost. */
  read(version: string, range?: ByteRange): Promise<Buffer | PipedBody | undefined>;
  has(version: string): Promise<boolean>;
  /** False when the source is lost. */
  copy(from: string, to: string): Promise<boolean>;
  /** Files that are already gone are no error. */
  remove(versions: readonly string[]): Promise<void>;
  /** Lists the versions that begin with these two hexadecimal digits. */
  list(prefix: string): Promise<StoredVersion[]>;
  /** False where the files belong to another installation, which alone knows which of them are orphans. */
  isOurs(): Promise<boolean>;
  /** Removes unfinished uploads begun before `before`, and returns how many files that were. */
  removeHalves(before: number): Promise<number>;
}

/** Throws for anything but a UUID. */
export function requireVersion(version: string): string {
  if (!isVersion(version)) throw new Error("An object's version is a UUID");
  return version;
}

export const isVersion = (name: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name);
