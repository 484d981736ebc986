// Stopping cuts nobody off, and a PostgreSQL that dies is restarted.
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { serviceClient } from "../support/server/clients.ts";
import {
  startFestivalUnawaited,
  type Festival,
  processesUsing,
  removeFolder,
  startFestival,
} from "../support/server/festival.ts";
import { preparedFolder } from "../support/server/prepared-data.ts";

let dataDir: string;
let festival: Festival;

beforeEach(async () => {
  dataDir = preparedFolder();
  festival = await startFestival({ dataDir });
});
afterEach(async () => {
  await festival.stop("SIGKILL");
  removeFolder(dataDir);
});

it("answers requests in progress normally and new ones with 503, and leaves nothing behind", async () => {
  const slow = await begun(
    "/auth/v1/signup",
    JSON.stringify({ email: "late@example.com", password: "purple slab cruise" }),
  );
  const stopped = festival.stop("SIGTERM");
  const url = `${festival.url}/rest/v1/ticket_types`;
  const refused = async () => {
    const answer = await fetch(url, { headers: { apikey: festival.status.ANON_KEY! } });
    return [answer.status, answer.headers.get("retry-after")];
  };
  await expect.poll(refused).toEqual([503, "1"]);
  expect(await slow.finish()).toBe(200);
  expect(await stopped).toBe(0);
  await expect.poll(() => processesUsing(dataDir)).toEqual([]);
});

it("exits cleanly on a SIGTERM during the start", async () => {
  await festival.stop("SIGTERM");
  const starting = startFestivalUnawaited({ dataDir });
  await expect
    .poll(() => existsSync(join(dataDir, "postgres/postmaster.pid")), { timeout: 60_000 })
    .toBe(true);
  starting.signal("SIGTERM");
  expect(await starting.exited).toBe(0);
  await expect.poll(() => processesUsing(dataDir)).toEqual([]);
});

it("stops when npm alone is told to", async () => {
  await festival.stop("SIGTERM");
  festival = await startFestival({ dataDir, viaNpm: true });
  process.kill(festival.pid, "SIGTERM");
  await expect.poll(() => processesUsing(dataDir)).toEqual([]);
});

it("waits for no open WebSocket, and for no client whose upgrade it refused", async () => {
  const { port } = new URL(festival.url);
  const upgrade = async (path: string) => {
    const socket = connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", () => {});
    socket.write(
      `GET ${path}&apikey=${festival.status.ANON_KEY} HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
        "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    const [answer] = (await once(socket, "data")) as [Buffer];
    return { socket, status: answer.toString().split(" ")[1] };
  };
  const refused = await upgrade("/realtime/v1/websocket?vsn=9");
  const open = await upgrade("/realtime/v1/websocket?vsn=2.0.0");
  expect([refused.status, open.status]).toEqual(["400", "101"]);
  refused.socket.write("and more");
  expect(await festival.stop("SIGTERM")).toBe(0);
  for (const { socket } of [refused, open]) socket.destroy();
});

it("restarts PostgreSQL when it is killed, logs it, and sells and shows changes as before", async () => {
  const client = serviceClient(festival.status);
  const changes: unknown[] = [];
  client
    .channel("stock")
    .on("postgres_changes", { event: "UPDATE", schema: "public", table: "products" }, (change) =>
      changes.push(change),
    )
    .subscribe();
  const touch = async () =>
    (
      await client
        .from("ticket_types")
        .update({ description: `at ${Date.now()}` })
        .eq("name", "VIP")
    ).error;
  const isLive = async () => (await touch(), changes.length > 0);
  await expect.poll(isLive).toBe(true);

  const postmaster = Number(readFileSync(join(dataDir, "postgres/postmaster.pid"), "utf8").split("\n")[0]);
  process.kill(postmaster, "SIGKILL");
  await expect.poll(() => festival.output(), { timeout: 30_000 }).toContain("PostgreSQL runs again.");
  expect(festival.output()).toContain("PostgreSQL stopped unexpectedly");
  await expect
    .poll(async () => (await fetch(`${festival.url}/health`)).status, { timeout: 20_000 })
    .toBe(200);
  changes.length = 0;
  await expect.poll(isLive, { timeout: 30_000 }).toBe(true);
  await client.removeAllChannels();
  await client.realtime.disconnect();
});

/** A request whose last body byte is not sent yet. */
async function begun(path: string, body: string): Promise<{ finish(): Promise<number | undefined> }> {
  const { hostname, port } = new URL(festival.url);
  const headers = {
    apikey: festival.status.ANON_KEY!,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    expect: "100-continue",
  };
  const call = request({ hostname, port, path, method: "POST", headers });
  const answered = new Promise<number | undefined>((done, fail) => {
    call.on("response", (answer) => (answer.resume(), done(answer.statusCode)));
    call.on("error", fail);
  });
  // The server has the request once it asks for the body.
  await new Promise<void>((taken) => {
    call.once("continue", taken);
    call.flushHeaders();
  });
  call.write(body.slice(0, -1));
  return {
    async finish() {
      call.end(body.slice(-1));
      return answered;
    },
  };
}
