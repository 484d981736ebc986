// The command that runs one function in Deno: what it may read, which hosts it may reach and what its environment contains.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { ServedFunction } from "../served.ts";
import type { WorkerBounds } from "./bounds.ts";

export interface Launch {
  /** The Supabase CLI's folder. */
  readonly project: string;
  /** Deno's folder for compiled code. */
  readonly cache: string;
  /** The API's address on this machine. */
  readonly apiUrl: string;
  readonly anonKey: string;
  readonly serviceKey: string;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const BOOTSTRAP = join(import.meta.dirname, "bootstrap.ts");

/** Deno sends requests for an allowed host to the proxy named here, without checking that the proxy's host is allowed. */
const PROXIES = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"].flatMap((name) => [
  name,
  name.toUpperCase(),
]);

/** Undefined if the `deno` package is not installed: it is a development dependency. */
export function denoProgram(): string | undefined {
  try {
    // As the package's own command does: if install scripts did not run, the program is not in place yet.
    const { runInstall } = createRequire(import.meta.url)("deno/install_api.cjs") as { runInstall(): string };
    return runInstall();
  } catch {
    return undefined;
  }
}

/** The bootstrap makes Deno.serve listen on `socket`. */
export function commandOf(
  deno: string,
  served: ServedFunction,
  socket: string,
  launch: Launch,
  bounds: WorkerBounds,
): Command {
  const { directory, entrypoint, imports, staticFiles } = served;
  const functions = join(launch.project, "functions");
  const readable = [directory, join(functions, "_shared"), ...staticFiles, socket];
  const options = [
    ...["run", "--quiet", "--no-prompt", "--no-lock", "--cached-only", "--node-modules-dir=manual"],
    ...importOptions(imports),
    `--v8-flags=--max-old-space-size=${bounds.memoryMb}`,
    `--allow-net=${[...apiHosts(launch.apiUrl), ...hostsIn(imports), `unix:${escaped(socket)}`].join(",")}`,
    ...["--allow-env", `--ignore-env=${PROXIES.join(",")}`],
    `--allow-read=${readable.map(escaped).join(",")}`,
    `--allow-write=${escaped(socket)}`,
    `--preload=${BOOTSTRAP}`,
    entrypoint,
  ];
  // Ctrl-C reaches every process of a terminal, and the server finishes what is in progress. No core file for a worker that runs
  // out of memory, and an end for one that spins after the server was killed.
  const limits = `trap '' INT TERM; ulimit -c 0; ulimit -t ${Math.ceil((2 * bounds.wallMs) / 1000)}; exec "$0" "$@"`;
  const environment = {
    ...secretsIn(join(functions, ".env")),
    SUPABASE_URL: launch.apiUrl,
    SUPABASE_ANON_KEY: launch.anonKey,
    SUPABASE_SERVICE_ROLE_KEY: launch.serviceKey,
  };
  return {
    program: "/bin/sh",
    args: ["-c", limits, deno, ...options],
    env: {
      ...environment,
      // The bootstrap removes everything else from the environment before the function runs.
      WORKER_ENVIRONMENT: Object.keys(environment).join(","),
      DENO_DIR: launch.cache,
      DENO_NO_UPDATE_CHECK: "1",
      DENO_NO_PACKAGE_JSON: "1",
      NO_COLOR: "1",
      WORKER_SOCKET: socket,
    },
  };
}

/** Deno reads a comma in a path as the start of the next path, unless it is doubled. */
const escaped = (path: string): string => path.replaceAll(",", ",,");

function importOptions(imports: string | undefined): string[] {
  if (imports === undefined) return ["--no-config"];
  return isDenoConfig(imports) ? [`--config=${imports}`] : ["--no-config", `--import-map=${imports}`];
}

const isDenoConfig = (file: string): boolean => /(^|[\\/])deno\.jsonc?$/.test(file);

/** Loopback has two names and two addresses. */
function apiHosts(apiUrl: string): string[] {
  const { hostname, port, protocol } = new URL(apiUrl);
  const at = port || (protocol === "https:" ? "443" : "80");
  const names = ["localhost", "127.0.0.1", "[::1]"];
  return (names.includes(hostname) ? names : [hostname]).map((name) => `${name}:${at}`);
}

/** `permissions.default.net` of a deno.json, Deno's own setting. `true`, for any host, is not accepted. */
function hostsIn(imports: string | undefined): string[] {
  if (imports === undefined || !isDenoConfig(imports)) return [];
  const config: unknown = JSON.parse(asJson(readFileSync(imports, "utf8")));
  const { permissions } = config as { permissions?: { default?: { net?: unknown } } };
  const net = permissions?.default?.net;
  return Array.isArray(net) ? net.filter((host): host is string => /^[\w.:[\]*-]+$/.test(String(host))) : [];
}

/** Deno accepts comments and trailing commas in either file. */
const asJson = (text: string): string =>
  text
    .replace(/("(?:\\.|[^"\\])*")|\/\/.*|\/\*[\s\S]*?\*\//g, "$1")
    .replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, "$1");

/** As in the CLI, secrets may not use the platform's own names. */
function secretsIn(file: string): Record<string, string> {
  if (!existsSync(file)) return {};
  const secrets = Object.entries(parseEnv(readFileSync(file, "utf8")));
  return Object.fromEntries(
    secrets.filter((entry): entry is [string, string] => !/^(SUPABASE|DENO|WORKER)_/.test(entry[0])),
  );
}
