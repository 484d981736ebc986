// What keepers do and know.
import { createHash } from "node:crypto";
import type { Random } from "../../simulator/random.ts";
import type { Ask } from "./calls.ts";
import type { Pictures } from "./pictures.ts";

/** The changes after which a kill may come. */
export const CHANGES = [
  "upload",
  "replacement",
  "copy",
  "move",
  "deletion",
  "emptying",
  "bucket's deletion",
  "bucket's creation",
  "upload's creation",
  "part",
  "last part",
  "cancelling",
  "picture",
] as const;
export type Change = (typeof CHANGES)[number];

/** What is in the bucket; undefined when there is no bucket. */
export type Contents = ReadonlyMap<string, Buffer> | undefined;

export interface KeeperDeps {
  readonly ask: Ask;
  readonly random: Random;
  readonly pictures: Pictures;
  readonly bucket: string;
  /** Called just before a change is sent. */
  reached(change: Change): void;
  fault(text: string): void;
}

export const md5 = (bytes: Buffer) => createHash("md5").update(bytes).digest("hex");
