// The sequence of a start: secrets, database, port, the program's parts, services, gateway and jobs. Undoes everything if a
// step fails.
import { isIPv6 } from "node:net";
import { openAccess } from "./access-keys.ts";
import { closeAll } from "./close-all.ts";
import { isRestoredCopy } from "./data-folder.ts";
import type { Dependencies } from "./dependencies.ts";
import type { RunningServer } from "./index.ts";
import { listen } from "./listener.ts";
import { systemClock } from "./platform/clock.ts";
import type { ServerConfig } from "./platform/config.ts";
import { createLog, type Log } from "./platform/log.ts";
import { loadSecrets } from "./platform/keys/secrets.ts";
import type { KeptCluster } from "./postgres/cluster/cluster-keeper.ts";
import { type DatabaseOptions, openDatabase } from "./postgres/database.ts";
import { loginPassword } from "./postgres/setup/logins.ts";
import { prepareDatabase } from "./prepare-database.ts";
import { isLoopback } from "./private-pages.ts";
import type { Program, ProgramParts } from "./program.ts";
import { createServerGateway } from "./server-gateway.ts";
import { createMail, createServices, type Services } from "./services.ts";

const JOBS_START_MS = 500;
const JOBS_RETRY_MS = 5_000;

/** `starting`: the embedded cluster while it starts, or undefined if config.databaseUrl names another. */
export async function openServer(
  config: ServerConfig,
  program: Program,
  starting: Promise<KeptCluster> | undefined,
): Promise<RunningServer> {
  const closers: Dependencies["closers"] = [
    { part: "PostgreSQL", close: async () => (await starting?.catch(() => undefined))?.stop() },
  ];
  const log = createLog(config.logLevel);
  const stop = () => closeAll(closers, log);
  try {
    const authSettings = await readAuthSettings(config);
    const foundation = { ...(await layFoundation(config, program, log)), authSettings };
    const cluster = await starting;
    void cluster?.givenUp.then(stop).finally(() => process.exit(1));
    const opened = await openOwnDatabase(foundation, cluster?.url, closers);
    const server = await listen(config, foundation.log);
    const localUrl = `http://${ownName(config.host)}:${server.port}`;
    const deps = { ...foundation, ...opened, localUrl, siteUrl: config.siteUrl ?? localUrl, closers };

    const mail = createMail(deps);
    const apiFetch = (request: Request, visitor?: string) => gateway.fetch(request, visitor);
    const parts = program.open?.({ ...deps, apiFetch, mailer: mail.mailer("functions") }) ?? {};
    const services = createServices(deps, mail, parts);
    const gateway = createServerGateway(deps, services, parts);
    server.serve(gateway);
    closers.push({ part: "port", close: () => server.close() });
    startJobs(services, parts, deps);
    await parts.started?.();
    return { url: localUrl, keys: deps.keys, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Read early, so that nothing runs with invalid settings. Loaded only where there are any, because it takes a third of a warm
 * start.
 */
async function readAuthSettings({ authVariables }: ServerConfig): Promise<Dependencies["authSettings"]> {
  if (Object.keys(authVariables).length === 0) return undefined;
  const { parseSettings } = await import("./auth/settings/settings.ts");
  return parseSettings(authVariables);
}

/** The name under which this machine reaches the server. If HOST names a specific address, localhost does not work. */
function ownName(host: string): string {
  if (isLoopback(host) || host === "0.0.0.0" || host === "::") return "localhost";
  return isIPv6(host) ? `[${host}]` : host;
}

/** Everything that needs no database, created while PostgreSQL starts. */
async function layFoundation(config: ServerConfig, { project, brand }: Program, log: Log) {
  const clock = systemClock;
  const secrets = loadSecrets(config.dataDir);
  const jwtSecret = config.jwtSecret ?? secrets.jwtSecret;
  const { tokens, keys } = await openAccess(config, secrets, jwtSecret);
  return { config, project, brand, clock, log, secrets, jwtSecret, tokens, keys };
}

/** `embeddedUrl` is undefined if config.databaseUrl names another PostgreSQL. */
async function openOwnDatabase(
  { config, project, jwtSecret, log }: Pick<Dependencies, "config" | "project" | "jwtSecret" | "log">,
  embeddedUrl: string | undefined,
  closers: Dependencies["closers"],
) {
  const databaseUrl = embeddedUrl ?? config.databaseUrl!;
  const password = embeddedUrl === undefined ? loginPassword(jwtSecret) : undefined;
  const logins = await prepareDatabase(databaseUrl, password, project, log);
  const database = openDatabase(logins, databaseOptions(config));
  closers.push({ part: "database connections", close: () => database.close() });
  return { databaseUrl, logins, database };
}

function databaseOptions({ limits }: ServerConfig): DatabaseOptions {
  const { connections, connectionsPerAddress, connectionsPerAccount, connectionWaitSeconds } = limits;
  return {
    ...(connections ? { sizes: { requests: connections, service: 6 } } : {}),
    perAddress: connectionsPerAddress,
    perAccount: connectionsPerAccount,
    waitMs: connectionWaitSeconds && connectionWaitSeconds * 1000,
  };
}

/**
 * The jobs start late, so that the first pages are served before work left over from the last run. A restored copy has none
 * until it takes over.
 */
function startJobs(
  { auth, functions }: Services,
  { beforeJobs }: ProgramParts,
  { config, log, closers }: Dependencies,
): void {
  const start = async (): Promise<void> => {
    if (isRestoredCopy(config.dataDir)) {
      timer = setTimeout(start, JOBS_RETRY_MS);
      return;
    }
    try {
      await beforeJobs?.();
      const services = [await auth.get(), await functions.get()];
      for (const service of services) service.startJobs();
    } catch (error) {
      log.error({ err: error }, "the jobs could not be started and will be retried");
      timer = setTimeout(start, JOBS_RETRY_MS);
    }
  };
  let timer = setTimeout(start, JOBS_START_MS);
  closers.push({ part: "start of the jobs", close: () => clearTimeout(timer) });
}
