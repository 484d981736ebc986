// A Supabase project for one test behind the real gateway: its functions and config.toml as files, and the port it answers on.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { createFunctions, type FunctionsServiceDeps } from "../src/functions/index.ts";
import { createClientAddress } from "../src/gateway/requests/client-address.ts";
import { createGateway, type SocketService } from "../src/gateway/index.ts";
import { systemClock } from "../src/platform/clock.ts";
import { createTokens, type Tokens } from "../src/platform/keys/jwt.ts";

interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly requestId?: string;
  readonly function?: string;
}

export interface Project {
  readonly origin: string;
  readonly directory: string;
  readonly keys: { readonly anon: string; readonly service: string };
  readonly tokens: Tokens;
  readonly lines: LogLine[];
  /** The official client, as a visitor. */
  readonly client: SupabaseClient;
  /** Calls a function, as a visitor. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

type Workers = FunctionsServiceDeps["workers"];

/** `files` by their path below the Supabase CLI's folder. Each handler.ts runs in process. */
export async function openProject(
  files: Readonly<Record<string, string>>,
  { bounds, deno, within = tmpdir() }: Pick<Workers, "bounds" | "deno"> & { readonly within?: string } = {},
): Promise<Project> {
  mkdirSync(within, { recursive: true });
  const directory = mkdtempSync(join(within, "festival-functions-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const lines: LogLine[] = [];
  const line = (level: string) => (fields: object, message: string) =>
    void lines.push({ ...fields, level, message });
  const log = { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
  const tokens = createTokens("a secret of at least thirty-two characters", systemClock);
  const keys = {
    anon: tokens.signWithSecret({ role: "anon" }),
    service: tokens.signWithSecret({ role: "service_role" }),
  };
  const port = Promise.withResolvers<number>();
  // Created with the first request, when the port is known.
  const functions = port.promise.then((known) =>
    createFunctions({
      siteUrl: () => `http://127.0.0.1:${known}`,
      project: directory,
      inProcess: { depsOf: async (context) => context, isUrgent: () => false },
      serviceKey: keys.service,
      anonKey: keys.anon,
      log,
      workers: {
        folder: join(directory, "workers"),
        apiUrl: `http://127.0.0.1:${known}`,
        // A busy machine takes a while to start Deno, and these tests are about other limits.
        bounds: { bootMs: 120_000, waitMs: 120_000, ...bounds },
        ...(deno && { deno }),
      },
    }),
  );
  const gateway = openGateway(functions, { tokens, keys, log, directory });
  await new Promise<void>((listening) => gateway.server.listen(0, "127.0.0.1", listening));
  port.resolve((gateway.server.address() as AddressInfo).port);
  const origin = `http://127.0.0.1:${await port.promise}`;
  return {
    ...{ origin, directory, keys, tokens, lines },
    client: createClient(origin, keys.anon, { auth: { persistSession: false, autoRefreshToken: false } }),
    ask: (path, { headers, ...init } = {}) =>
      fetch(`${origin}/functions/v1/${path}`, {
        ...init,
        headers: headers ?? { authorization: `Bearer ${keys.anon}` },
      }),
    async close() {
      await (await functions).close();
      gateway.server.closeAllConnections();
      await new Promise((closed) => gateway.server.close(closed));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The other services echo the requests they receive. */
const echo: SocketService = {
  fetch: async (request, { claims }) =>
    Response.json({ path: new URL(request.url).pathname, role: claims.role }),
  renderError: (error) => Response.json({ code: error.code }, { status: error.status }),
  handleUpgrade: (_request, socket) => socket.destroy(),
};

function openGateway(
  functions: Promise<ReturnType<typeof createFunctions>>,
  deps: Pick<Parameters<typeof createGateway>[0], "tokens" | "keys" | "log"> & { readonly directory: string },
) {
  const service = {
    fetch: async (...asked: Parameters<SocketService["fetch"]>) => (await functions).fetch(...asked),
    takesUnread: async (path: string) => (await (await functions).takesUnread?.(path)) ?? false,
    renderError: async (...error: Parameters<SocketService["renderError"]>) =>
      (await functions).renderError(...error),
  };
  return createGateway({
    ...deps,
    services: { auth: echo, rest: echo, storage: echo, realtime: echo, functions: service },
    pages: {},
    apiUrl: "http://localhost",
    clientAddress: createClientAddress([]),
  });
}
