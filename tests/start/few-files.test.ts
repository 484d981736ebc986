// A crowd that uses up every file and socket the process may open, while parts of it are loaded for the first
// time.
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Festival, removeFolder, startFestival } from "../support/server/festival.ts";
import { preparedFolder } from "../support/server/prepared-data.ts";
import { publicPaths } from "../../site/src/app/pages.ts";

let dataDir: string;
let festival: Festival;

beforeAll(async () => {
  dataDir = preparedFolder();
  festival = await startFestival({ dataDir, openFiles: 80 });
});
afterAll(async () => {
  await festival.stop("SIGKILL");
  removeFolder(dataDir);
});

it("survives the crowd, and serves everything once it is gone", async () => {
  const { hostname, port } = new URL(festival.url);
  const key = festival.status.ANON_KEY;
  const crowd = Array.from({ length: 200 }, (_, index) => {
    const socket = connect(Number(port), hostname);
    // Each page is read only at its first request.
    const page = publicPaths[index % publicPaths.length]!;
    for (const path of [page, "/auth/v1/settings", "/storage/v1/bucket", "/functions/v1/payment-config"]) {
      const headers = `Host: x\r\nApikey: ${key}\r\nAuthorization: Bearer ${key}`;
      socket.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`);
    }
    return socket;
  });
  // The others wait outside: no file descriptor is left to accept them.
  const inside = Promise.withResolvers<void>();
  let answered = 0;
  for (const socket of crowd) void settled(socket).then(() => ++answered === 10 && inside.resolve());
  await inside.promise;
  for (const socket of crowd) socket.destroy();
  for (const path of ["/", "/health", "/auth/v1/settings", "/functions/v1/payment-config", "/mailbox"]) {
    await expect
      .poll(() => statusOf(path), { timeout: 20_000, message: `${path}\n${festival.output()}` })
      .toBe(200);
  }
});

/** Answered or closed. */
function settled(socket: Socket): Promise<void> {
  return new Promise((done) => {
    socket.once("data", () => done());
    socket.once("error", () => done());
    socket.once("close", () => done());
  });
}

async function statusOf(path: string): Promise<number | string> {
  const headers = { apikey: festival.status.ANON_KEY! };
  return fetch(festival.url + path, { headers }).then(
    ({ status }) => status,
    (error: unknown) => String(error),
  );
}
