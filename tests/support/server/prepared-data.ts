// The prepared folder of Vitest's projects "outside" and "strain", which share it: their global setup.
import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import { quickFolder } from "../../../server/testing/quick-folder.ts";
import { removeFolder } from "./festival.ts";
import { copyPrepared, prepare } from "./prepared-folder.ts";

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

/** A new data folder with everything that a first start creates. */
export function preparedFolder(): string {
  const dataDir = quickFolder("festival-");
  prepareFolder(dataDir);
  return dataDir;
}

/** The same in a folder that is empty or does not exist. */
export function prepareFolder(dataDir: string): void {
  copyPrepared(inject("preparedData"), dataDir);
}
