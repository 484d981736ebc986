// Creating a PostgreSQL cluster takes two seconds of processor time. The tests of starts and stops whose subject is not the empty
// folder begin with a copy of one, created once for the run. Vitest's global setup of the project "start".
import { chmodSync, constants, cpSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import { startCluster } from "../../server/src/postgres/cluster.ts";
import { removeFolder, temporaryFolder } from "./festival.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder of a stopped cluster without any database of ours. */
    emptyCluster: string;
  }
}

export default async function setup(project: TestProject): Promise<() => void> {
  const folder = temporaryFolder();
  const directory = join(folder, "postgres");
  await (await startCluster(directory)).stop();
  project.provide("emptyCluster", directory);
  return () => removeFolder(folder);
}

/** A new data folder in which the cluster is already there, and nothing else. */
export function folderWithCluster(): string {
  const dataDir = temporaryFolder();
  putCluster(dataDir);
  return dataDir;
}

/** Puts the cluster into a data folder that has none. */
export function putCluster(dataDir: string): void {
  const directory = join(dataDir, "postgres");
  cpSync(inject("emptyCluster"), directory, { recursive: true, mode: constants.COPYFILE_FICLONE });
  chmodSync(directory, 0o700); // PostgreSQL refuses a folder that others may read
}
