// A first start takes three seconds of processor time: the cluster, its tables, the first administrator. Tests whose subject is
// not the empty folder begin with a copy of a folder on which a server was started and stopped, made once for the run. Vitest's
// global setup of the projects "start" and "strain", which share it.
import { chmodSync, constants, cpSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import { removeFolder, startFestival, temporaryFolder } from "./festival.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Data folder of a stopped server that nobody has used. */
    preparedData: string;
  }
}

const run = globalThis as { preparedData?: Promise<string> };

export default async function setup(project: TestProject): Promise<() => void> {
  const folder = await (run.preparedData ??= prepare());
  project.provide("preparedData", folder);
  return () => removeFolder(folder);
}

async function prepare(): Promise<string> {
  const folder = temporaryFolder();
  await (await startFestival({ dataDir: folder })).stop();
  return folder;
}

/** A new data folder with everything that a first start makes. */
export function preparedFolder(): string {
  const dataDir = temporaryFolder();
  prepareFolder(dataDir);
  return dataDir;
}

/** The same in a folder that is empty, or not there. */
export function prepareFolder(dataDir: string): void {
  cpSync(inject("preparedData"), dataDir, { recursive: true, mode: constants.COPYFILE_FICLONE });
  chmodSync(join(dataDir, "postgres"), 0o700); // PostgreSQL refuses a folder that others may read
}
