// The shop behind nginx and Caddy, each with the configuration that docs/ has to copy, where the program is installed.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type Agent, request as ask } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { serviceClient } from "../support/server/clients.ts";
import {
  type Festival,
  removeFolder,
  root,
  startFestival,
  temporaryFolder,
} from "../support/server/festival.ts";
import { preparedFolder } from "../support/server/prepared-data.ts";

const MB = 1024 * 1024;
const SOCKETS_PER_ADDRESS = 2;
const folder = temporaryFolder();
let shop: Festival;

beforeAll(async () => {
  const env = {
    TRUSTED_PROXIES: "127.0.0.1, ::1",
    SOCKETS_PER_ADDRESS: String(SOCKETS_PER_ADDRESS),
    MAILBOX: "true",
    PAYMENTS_SANDBOX: "true",
  };
  shop = await startFestival({ dataDir: preparedFolder(), env });
  const bucket = await serviceClient(shop.status).storage.createBucket("papers", { public: true });
  expect(bucket.error).toBeNull();
});
afterAll(async () => {
  await shop?.stop();
  if (shop) removeFolder(shop.dataDir);
  removeFolder(folder);
});

interface WebServer {
  readonly program: string;
  /** Starts it on 127.0.0.1. */
  start(https: number, http: number): ChildProcess;
}

/** The configuration, on other ports and with another certificate. Each change has to find what it replaces. */
function configured(path: string, changes: readonly (readonly [from: string, to: string])[]): string {
  let text = readFileSync(join(root, path), "utf8");
  for (const [from, to] of changes) {
    expect(text).toContain(from);
    text = text.replaceAll(from, to);
  }
  return text.replaceAll("127.0.0.1:3000", `127.0.0.1:${new URL(shop.url).port}`);
}

const nginx: WebServer = {
  program: "nginx",
  start(https, http) {
    const home = join(folder, "nginx");
    mkdirSync(home);
    const [key, certificate] = [join(home, "key.pem"), join(home, "certificate.pem")];
    const subject = ["-subj", "/CN=tickets.example.com", "-days", "1"];
    const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate];
    expect(spawnSync("openssl", [...made, ...subject]).status).toBe(0);
    const site = configured("docs/nginx.conf", [
      ["    listen [::]:80;\n", ""],
      ["    listen [::]:443 ssl http2;\n", ""],
      ["listen 80;", `listen 127.0.0.1:${http};`],
      ["listen 443 ", `listen 127.0.0.1:${https} `],
      ["/etc/letsencrypt/live/tickets.example.com/fullchain.pem", certificate],
      ["/etc/letsencrypt/live/tickets.example.com/privkey.pem", key],
    ]);
    writeFileSync(join(home, "festival.conf"), site);
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (kind) => `${kind}_temp_path ${home}/${kind};`,
    );
    const main = `daemon off; master_process off; pid ${home}/pid; error_log ${home}/error.log;
      events {} http { access_log off; ${paths.join(" ")} include ${home}/festival.conf; }`;
    writeFileSync(join(home, "nginx.conf"), main);
    return spawn("nginx", ["-p", home, "-c", join(home, "nginx.conf")], { stdio: "inherit" });
  },
};

const caddy: WebServer = {
  program: "caddy",
  start(https, http) {
    const home = join(folder, "caddy");
    mkdirSync(home);
    // A certificate of its own, since nobody can reach it from outside; it is not put among those that this machine trusts.
    const options = `{
      admin off
      skip_install_trust
      local_certs
      default_bind 127.0.0.1
      http_port ${http}
      https_port ${https}
    }\n`;
    writeFileSync(join(home, "Caddyfile"), options + configured("docs/Caddyfile", []));
    const env = { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
    const args = ["run", "--config", join(home, "Caddyfile"), "--adapter", "caddyfile"];
    return spawn("caddy", args, { stdio: ["ignore", "ignore", "ignore"], env });
  },
};

describe.each([nginx, caddy])("behind $program", ({ program, start }) => {
  const isInstalled = spawnSync(program, [program === "nginx" ? "-v" : "version"]).error === undefined;
  if (!isInstalled) {
    it.skip(`${program} is not installed, so its configuration in docs was not tried`, () => {});
    return;
  }
  let server: ChildProcess;
  let port: number;
  let http: number;

  /** As a visitor reaches tickets.example.com. The certificate is the test's own. */
  const target = () => ({
    ...{ host: "127.0.0.1", port, servername: "tickets.example.com", rejectUnauthorized: false },
    headers: { host: "tickets.example.com" },
  });
  function call(
    method: string,
    path: string,
    body: Buffer = Buffer.alloc(0),
    headers: Record<string, string> = {},
  ): Promise<{ status: number; headers: NodeJS.Dict<string | string[]> }> {
    return new Promise((done, fail) => {
      const { headers: own, ...place } = target();
      const length = { "content-length": String(body.length) };
      const request = ask(
        {
          ...place,
          agent: false as unknown as Agent,
          method,
          path,
          headers: { ...own, ...length, ...headers },
        },
        (answer) => {
          answer.resume();
          answer.on("end", () => done({ status: answer.statusCode!, headers: answer.headers }));
        },
      );
      request.on("error", fail);
      request.end(body);
    });
  }
  const upload = (name: string, bytes: number) => {
    const key = shop.status.SERVICE_ROLE_KEY!;
    const headers = { apikey: key, authorization: `Bearer ${key}`, "content-type": "application/pdf" };
    return call("POST", `/storage/v1/object/papers/${program}-${name}`, Buffer.alloc(bytes, "x"), headers);
  };

  beforeAll(async () => {
    [port, http] = (await freePorts()) as [number, number];
    server = start(port, http);
    await vi.waitFor(async () => expect((await call("GET", "/health")).status).toBe(200), 20_000);
  });
  afterAll(async () => {
    server?.kill();
    if (server?.exitCode === null) await Promise.race([once(server, "exit"), sleep(5_000)]);
  });

  it("serves pages, and redirects to https", async () => {
    const page = await call("GET", "/");
    expect([page.status, page.headers["content-type"]]).toEqual([200, expect.stringContaining("text/html")]);
    // Whether browsers must use https from then on, only the shop decides: here its SITE_URL has no https.
    expect(page.headers["strict-transport-security"]).toBeUndefined();
    const plain = await fetch(`http://127.0.0.1:${http}/tickets?a=b`, {
      headers: { host: "tickets.example.com" },
      redirect: "manual",
    });
    expect([301, 308]).toContain(plain.status);
  });

  it("takes the largest upload that the shop takes", async () => {
    expect((await upload("largest.pdf", 50 * MB)).status).toBe(200);
    expect((await upload("larger.pdf", 65 * MB).catch(() => ({ status: 413 }))).status).toBe(413);
  });

  it("passes sockets on, each for the visitor's own address", async () => {
    const open: WebSocket[] = [];
    const path = `/realtime/v1/websocket?vsn=2.0.0&apikey=${shop.status.ANON_KEY!}`;
    const visit = async (localAddress: string, claimed: string) => {
      const { headers, ...place } = target();
      const options = { ...place, localAddress, headers: { ...headers, "x-forwarded-for": claimed } };
      const socket = new WebSocket(`wss://127.0.0.1:${port}${path}`, options);
      await once(socket, "open");
      open.push(socket);
      return socket;
    };
    // Of another network for each program: the shop may not have noticed yet that the other's sockets are closed.
    const network = program === "nginx" ? "127.0.7" : "127.0.8";
    try {
      for (const claimed of ["6.6.6.6", "7.7.7.7"]) await visit(`${network}.1`, claimed);
      await expect(visit(`${network}.1`, "8.8.8.8")).rejects.toThrow("429");
      const other = await visit(`${network}.2`, "6.6.6.6");
      const joined = once(other, "message");
      other.send(JSON.stringify(["1", "1", "realtime:hall", "phx_join", { config: {} }]));
      expect(JSON.parse(String((await joined)[0]))[4]).toMatchObject({ status: "ok" });
    } finally {
      for (const socket of open) socket.terminate();
    }
  });
});

/** Two ports that nobody used a moment ago. */
async function freePorts(): Promise<number[]> {
  const servers = [createServer(), createServer()];
  for (const server of servers) await once(server.listen(0, "127.0.0.1"), "listening");
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) await new Promise((closed) => server.close(closed));
  return ports;
}
