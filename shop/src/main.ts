// The shop's entry and the only place that reads the environment.
import { startServer } from "../../server/src/index.ts";
import { StartError } from "../../server/src/platform/start-error.ts";
import { parseConfig } from "./config.ts";
import { refuseStandInsInPublic } from "./stand-ins.ts";

// An unhandled rejection loses its own work, but must not end the process and with it everyone's sale.
process.on("unhandledRejection", (error) => {
  const text = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`Unhandled rejection: ${text}\n`);
});

/** Also covers a start that never ends. When this process ends for any reason, PostgreSQL is asked to stop. */
const STOPS_WITHIN_MS = 55_000;

// Before the start, because the first process of a container ignores SIGTERM without a handler.
const started = Promise.withResolvers<{ stop(): Promise<void> }>();
let stopping = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    if (stopping) process.exit(1); // a second Ctrl-C does not wait
    stopping = true;
    setTimeout(() => process.exit(1), STOPS_WITHIN_MS).unref();
    // A start in progress completes first, so that PostgreSQL shuts down in order.
    void started.promise.then((shop) => shop.stop().finally(() => process.exit(0)));
  });
}

try {
  const config = parseConfig(process.env);
  refuseStandInsInPublic(config);
  const load = async () => (await import("./shop.ts")).createShop(config);
  started.resolve(await startServer(config, load));
} catch (error) {
  process.stderr.write(
    `\nCould not start. ${error instanceof StartError ? error.message : (error as Error).stack}\n`,
  );
  process.exit(error instanceof StartError ? error.exitCode : 1);
}
