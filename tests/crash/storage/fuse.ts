// A fuse: a file that names a step of the server and what is killed when the server reaches it. The server's fuse box
// watches it.
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

export type Verb = "write" | "sync" | "rename" | "link" | "copy" | "remove";

/** A file operation of the server on a path below a folder of its data folder. */
export interface FileStep {
  readonly verb: Verb;
  readonly folder: string;
  readonly when: "before" | "after";
}

export interface Fuse extends FileStep {
  /** How many such operations are let pass first. */
  readonly skip: number;
  /** "power": both. */
  readonly target: "node" | "postgres" | "power";
  readonly delayMs: number;
}

const fileIn = (dataDir: string) => join(dataDir, "fuse.json");

/** What the server needs in its environment. */
export const fuseBox = (dataDir: string) => ({
  FUSE: fileIn(dataDir),
  NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, "fuse-box.ts")).href}`,
});

export function light(dataDir: string, fuse: Fuse): void {
  writeFileSync(`${fileIn(dataDir)}.new`, JSON.stringify(fuse));
  renameSync(`${fileIn(dataDir)}.new`, fileIn(dataDir));
}

/** Resolves with whether it has burnt down, as soon as it has or when `isOver` says that nothing will reach its step; then it is out. */
export async function burning(dataDir: string, isOver: () => boolean): Promise<boolean> {
  while (existsSync(fileIn(dataDir))) {
    if (isOver()) {
      try {
        rmSync(fileIn(dataDir));
        return false;
      } catch {
        return true;
      }
    }
    await sleep(5);
  }
  return true;
}
