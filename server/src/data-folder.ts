// The folder that holds everything this installation owns: writable, and used by one server at a time.
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { isListening, openSocketFolder } from "./platform/local-socket.ts";
import { StartError } from "./platform/start-error.ts";

/** Throws StartError if the folder cannot be written or another server uses it. */
export async function claimDataFolder(dataDir: string): Promise<void> {
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
  await lock(dataDir);
  writeFileSync(join(dataDir, "server.pid"), String(process.pid));
}

/**
 * Two servers on one folder would fight over its cluster. A socket is the lock: it ends with its process however that ends,
 * while a process id in a file may belong to another program by now.
 */
async function lock(dataDir: string): Promise<void> {
  const socket = join(openSocketFolder(realpathSync(dataDir)), "server.sock");
  if (await isListening(socket)) {
    const holder = readFileSync(join(dataDir, "server.pid"), "utf8");
    throw new StartError(
      `A server (process ${holder}) already runs on the data folder ${dataDir}. Stop it first, or set DATA_DIR and PORT.`,
    );
  }
  rmSync(socket, { force: true });
  const server = createServer((visitor) => visitor.destroy());
  await new Promise<void>((listening, fail) => {
    server.once("error", (error) =>
      fail(new StartError(`The data folder ${dataDir} cannot be locked: ${error.message}`)),
    );
    server.listen(socket, listening);
  });
  server.unref();
}
