// A first start takes five seconds of processor time: the cluster, its tables, the first administrator. Tests that are not
// about an empty folder start with a copy of a folder on which a server was started and stopped, created once for the run.
import { chmodSync, constants, cpSync } from "node:fs";
import { join } from "node:path";
import { quickFolder } from "../../../server/testing/quick-folder.ts";
import { startFestival } from "./festival.ts";

/** Data folder of a stopped server that nobody has used. */
export async function prepare(): Promise<string> {
  const folder = quickFolder("festival-");
  await (await startFestival({ dataDir: folder })).stop();
  return folder;
}

/** Into a folder that is empty or does not exist. */
export function copyPrepared(prepared: string, dataDir: string): void {
  cpSync(prepared, dataDir, { recursive: true, mode: constants.COPYFILE_FICLONE });
  chmodSync(join(dataDir, "postgres"), 0o700); // PostgreSQL refuses a folder that others may read
}
