// The server's entrance: the Supabase API on one machine, for the project of any program. PostgreSQL starts first, and
// everything else loads meanwhile, which saves half of a warm start.
import { join } from "node:path";
import { claimDataFolder } from "./data-folder.ts";
import type { ServerConfig } from "./platform/config.ts";
import { startCluster } from "./postgres/cluster/cluster.ts";
import { keepCluster } from "./postgres/cluster/cluster-keeper.ts";
import type { Program } from "./program.ts";

export interface RunningServer {
  /** Where this machine reaches it, without a trailing slash. */
  readonly url: string;
  readonly keys: { readonly anon: string; readonly service: string };
  /** Ends everything, PostgreSQL last. */
  stop(): Promise<void>;
}

/** `load` runs while PostgreSQL starts. Throws a StartError whose message says what to do. */
export async function startServer(
  config: ServerConfig,
  load: () => Promise<Program>,
): Promise<RunningServer> {
  await claimDataFolder(config.dataDir);
  const cluster =
    config.databaseUrl === undefined
      ? keepCluster(
          () => startCluster(join(config.dataDir, "postgres")),
          (line) => process.stderr.write(`${new Date().toISOString()} ${line}\n`),
        )
      : undefined;
  cluster?.catch(() => {}); // openServer receives the error
  const [{ openServer }, program] = await Promise.all([import("./open-server.ts"), load()]);
  return openServer(config, program, cluster);
}
