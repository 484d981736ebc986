// The server's entry and the only place that reads the environment. PostgreSQL starts first, because everything else can be
// loaded while it does: that is half of a warm start.
import { join } from "node:path";
import { claimDataFolder } from "./data-folder.ts";
import { parseConfig } from "./platform/config.ts";
import { startCluster } from "./postgres/cluster.ts";
import { StartError } from "./platform/start-error.ts";

try {
  const config = parseConfig(process.env);
  claimDataFolder(config.dataDir);
  const cluster =
    config.databaseUrl === undefined ? startCluster(join(config.dataDir, "postgres")) : undefined;
  cluster?.catch(() => {}); // told where it is waited for
  const { startFestival } = await import("./wiring.ts");
  const festival = await startFestival(config, cluster);

  let stopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1); // a second Ctrl-C does not wait
      stopping = true;
      void festival.stop().then(() => process.exit(0));
    });
  }
} catch (error) {
  process.stderr.write(
    `\nCould not start. ${error instanceof StartError ? error.message : (error as Error).stack}\n`,
  );
  process.exit(1);
}
