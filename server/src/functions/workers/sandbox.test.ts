// What a function has access to: its environment, files, network and imports.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openProject, type Project } from "../../../testing/functions.ts";

/** Tries each thing named in the request, and returns the outcome. */
const TRIES = `
import words from "./words.json" with { type: "json" };
import { shared } from "../_shared/shared.ts";
const { project, elsewhere, socket, allowed, files } = JSON.parse(Deno.env.get("PLACES"));
const read = (path) => Deno.readTextFile(path);
const all = {
  environment: async () => Object.keys(Deno.env.toObject()).sort(),
  secret: async () => [Deno.env.get("PLAIN"), Deno.env.get("SUPABASE_URL"), Deno.env.get("SUPABASE_ANON_KEY")],
  code: async () => [words.word, shared],
  ownFile: () => read(new URL("./words.json", import.meta.url)),
  staticFile: () => read(project + "/texts/hello.txt"),
  otherText: () => read(project + "/texts/hello.md"),
  secretsFile: () => read(project + "/functions/.env"),
  dataFolder: () => read(project + "/secrets.json"),
  otherFunction: () => read(project + "/functions/mapped/index.ts"),
  list: async () => { for await (const one of Deno.readDir(project)) return one.name; },
  system: () => read("/etc/passwd"),
  write: () => Deno.writeTextFile(new URL("./words.json", import.meta.url), "{}"),
  temporary: () => Deno.makeTempDir(),
  cache: async () => void (await (await caches.open("mine")).put("http://a.b/c", new Response("kept"))),
  cacheInThread: async () => {
    const thread = new Worker(new URL("./thread.ts", import.meta.url), { type: "module" });
    const failed = await new Promise((told) => { thread.onmessage = ({ data }) => told(data); });
    thread.terminate();
    if (failed) throw failed;
  },
  storage: async () => void localStorage.setItem("mine", "kept"),
  keyValues: async () => void (await Deno.openKv()).close(),
  run: () => new Deno.Command("/bin/ls").output(),
  database: async () => void (await Deno.connect({ transport: "unix", path: socket })).close(),
  elsewhere: async () => (await fetch(elsewhere)).text(),
  allowed: async () => (await fetch(allowed)).text(),
  proxied: async () => {
    const { env } = (await import("node:process")).default;
    for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"]) {
      Deno.env.set(name, elsewhere);
      env[name] = elsewhere;
    }
    return (await fetch(Deno.env.get("SUPABASE_URL") + "/rest/v1/anything", { client: Deno.createHttpClient({}) })).text();
  },
  socketFile: () => Deno.removeSync(listening.path),
  listen: async () => void Deno.listen({ port: 0 }).close(),
  api: async () => (await fetch(Deno.env.get("SUPABASE_URL") + "/rest/v1/anything", { headers: { apikey: Deno.env.get("SUPABASE_SERVICE_ROLE_KEY") } })).json(),
  remote: () => import("https://esm.sh/" + Math.random()),
  zod: async () => typeof (await import("zod")).z.string,
};
let listening;
Deno.serve({ onListen: (address) => { listening = address; } }, async (request) => {
  try {
    return Response.json({ got: (await all[new URL(request.url).pathname.split("/")[2]]()) ?? null });
  } catch (error) {
    return Response.json({ failed: error.name });
  }
});`;

const CONFIG = `
[functions.tries]
static_files = ["./texts/*.txt"]
[functions.mapped]
import_map = "./functions/mapped/map.json"
[functions.entered]
entrypoint = "./functions/entered/main.ts"
`;

const root = resolve(import.meta.dirname, "../../../..");
const elsewhere = createServer((_request, response) => response.end("somewhere else")).listen(0, "127.0.0.1");
const allowed = createServer((_request, response) => response.end("allowed")).listen(0, "127.0.0.1");
const database = createTcpServer();
const sockets = mkdtempSync(join(tmpdir(), "festival-sandbox-"));
const portOf = (server: typeof elsewhere) => (server.address() as AddressInfo).port;
let project: Project;

beforeAll(async () => {
  const config = {
    imports: { zod: "npm:zod" },
    unstable: ["kv"],
    permissions: { default: { net: [`127.0.0.1:${portOf(allowed)}`], read: true } },
  };
  project = await openProject(
    {
      "config.toml": CONFIG,
      "secrets.json": "{}",
      "texts/hello.txt": "hello",
      "texts/hello.md": "hello",
      "functions/.env": "",
      "functions/_shared/shared.ts": "export const shared: string = 'shared';",
      "functions/tries/deno.json": JSON.stringify(config),
      "functions/tries/words.json": '{"word":"own"}',
      "functions/tries/index.ts": TRIES,
      "functions/tries/thread.ts":
        "caches.open('mine').then(() => postMessage(undefined), (error) => postMessage(error));",
      "functions/mapped/map.json": '{"imports":{"shared":"../_shared/shared.ts"}}',
      "functions/mapped/index.ts": `import { shared } from "shared"; Deno.serve(() => new Response(shared));`,
      "functions/entered/main.ts": `Deno.serve(() => new Response("main"));`,
    },
    // Packages are only found from within the repository.
    { within: join(root, ".cache") },
  );
  // A socket's path must be short, wherever the repository is.
  const socket = join(sockets, "database.sock");
  await new Promise<void>((listening) => database.listen(socket, listening));
  const places = {
    project: project.directory,
    elsewhere: `http://127.0.0.1:${portOf(elsewhere)}`,
    allowed: `http://127.0.0.1:${portOf(allowed)}`,
    socket,
  };
  writeFileSync(
    join(project.directory, "functions/.env"),
    `PLAIN="a secret"\nSUPABASE_URL=http://evil.example\nPLACES='${JSON.stringify(places)}'\n`,
  );
});
afterAll(async () => {
  for (const server of [elsewhere, allowed, database]) server.close();
  await project.close();
  rmSync(sockets, { recursive: true, force: true });
});

const tried = async (what: string) =>
  (await project.ask(`tries/${what}`)).json() as Promise<{ got?: unknown; failed?: string }>;

it("finds the platform's names and the project's secrets in its environment, and nothing else", async () => {
  expect(await tried("environment")).toEqual({
    got: ["PLACES", "PLAIN", "SUPABASE_ANON_KEY", "SUPABASE_SERVICE_ROLE_KEY", "SUPABASE_URL"],
  });
  expect(await tried("secret")).toEqual({ got: ["a secret", project.origin, project.keys.anon] });
});

it("reads its own folder, shared files and those named in config.toml, and no other file", async () => {
  expect(await tried("code")).toEqual({ got: ["own", "shared"] });
  expect(await tried("ownFile")).toEqual({ got: '{"word":"own"}' });
  expect(await tried("staticFile")).toEqual({ got: "hello" });
  for (const what of ["otherText", "secretsFile", "dataFolder", "otherFunction", "list", "system"]) {
    expect([what, await tried(what)]).toEqual([what, { failed: "NotCapable" }]);
  }
});

it("writes nothing, runs nothing and listens nowhere", async () => {
  for (const what of ["write", "temporary", "run", "listen", "socketFile"]) {
    expect([what, await tried(what)]).toEqual([what, { failed: "NotCapable" }]);
  }
});

it("keeps nothing on the disk for the next worker", async () => {
  for (const what of ["cache", "cacheInThread", "storage", "keyValues"]) {
    expect([what, await tried(what)]).toEqual([what, { failed: expect.any(String) }]);
  }
});

it("reaches the API and the hosts in its deno.json, no other server and no database", async () => {
  expect(await tried("api")).toEqual({ got: { path: "/anything", role: "service_role" } });
  expect(await tried("allowed")).toEqual({ got: "allowed" });
  expect(await tried("elsewhere")).toEqual({ failed: "NotCapable" });
  expect(await tried("database")).toEqual({ failed: "NotCapable" });
  expect(await tried("proxied")).toEqual({ got: JSON.stringify({ code: "no_api_key" }) });
  expect((await tried("remote")).failed).toBeDefined();
});

it("imports installed packages, by its deno.json or by the import map of config.toml", async () => {
  expect(await tried("zod")).toEqual({ got: "function" });
  expect(await (await project.ask("mapped")).text()).toBe("shared");
});

it("starts at the entrypoint that config.toml names", async () => {
  expect(await (await project.ask("entered")).text()).toBe("main");
});
