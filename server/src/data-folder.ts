// The folder that holds everything this installation owns: writable, and of one server at a time.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "./platform/start-error.ts";

/** Two servers on one folder would fight over its cluster. A file left by kill -9 names a process that is gone. */
export function claimDataFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const probe = join(dataDir, ".writable");
    writeFileSync(probe, "");
    rmSync(probe);
  } catch (error) {
    throw new StartError(
      `The data folder ${dataDir} cannot be written (${(error as NodeJS.ErrnoException).code}). ` +
        "Set DATA_DIR to a folder that can.",
    );
  }
  const lock = join(dataDir, "server.pid");
  const holder = Number(readIfThere(lock));
  if (holder > 0 && holder !== process.pid && readIfThere(`/proc/${holder}/cmdline`)?.includes("node")) {
    throw new StartError(
      `A server (process ${holder}) already runs on the data folder ${dataDir}. Stop it first, or set DATA_DIR and PORT.`,
    );
  }
  writeFileSync(lock, String(process.pid));
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
