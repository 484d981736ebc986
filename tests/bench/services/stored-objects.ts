// P14: a public object through the gateway, with its row looked up for every request, compared with bare node:http streaming the
// same file; and the server's memory while 64 clients download 50 MB each.
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { serviceClient } from "../../support/server/clients.ts";
import { removeFolder, startFestival, temporaryFolder } from "../../support/server/festival.ts";
import { compared, type Figure, number, type Settings } from "../figures.ts";
import { measureInTurn, WrongAnswer } from "../pairs.ts";

const CLIENTS = 8;
const CROWD = 64;
const KIB = 1024;
const SIZES = { "100 KB": 100 * KIB, "1 MB": KIB * KIB, "50 MB": 50 * KIB * KIB };
const BUCKET = "bench";
/** How much the server's memory may grow while a crowd reads: a few chunks each, not the objects. */
const MOST_GROWTH_MB = 256;

export async function measureStoredObjects({ pairs, seconds }: Settings): Promise<readonly Figure[]> {
  const dataDir = temporaryFolder();
  const festival = await startFestival({ dataDir });
  const bare = fork(join(import.meta.dirname, "bare-file-server.ts"));
  try {
    const objects = serviceClient(festival.status).storage;
    await objects.createBucket(BUCKET, { public: true });
    const files: Record<string, string> = {};
    for (const [name, size] of Object.entries(SIZES)) {
      const bytes = randomBytes(size);
      const path = pathOf(name);
      files[path] = join(dataDir, name);
      writeFileSync(files[path], bytes);
      const { error } = await objects.from(BUCKET).upload(keyOf(name), bytes, { contentType: "image/png" });
      if (error) throw error;
    }
    bare.send(files);
    const [port] = (await once(bare, "message")) as [number];
    const figures: Figure[] = [];
    for (const [name, size] of Object.entries(SIZES)) {
      const paired = await measureInTurn(
        () => rate(festival.url, pathOf(name), size, seconds, CLIENTS),
        () => rate(`http://127.0.0.1:${port}`, pathOf(name), size, seconds, CLIENTS),
        pairs,
      );
      figures.push(compared(`object of ${name}`, "MB/s", "bare file stream", paired, { atLeast: 0.9 }));
    }
    return [...figures, await memoryOf(festival, seconds)];
  } finally {
    bare.disconnect();
    await festival.stop();
    removeFolder(dataDir);
  }
}

const keyOf = (name: string) => `${name.replace(" ", "-")}.png`;
const pathOf = (name: string) => `/storage/v1/object/public/${BUCKET}/${keyOf(name)}`;

async function memoryOf(festival: { url: string; pid: number }, seconds: number): Promise<Figure> {
  const before = residentMegabytes(festival.pid);
  let most = before;
  const looking = setInterval(() => (most = Math.max(most, residentMegabytes(festival.pid))), 100);
  await rate(festival.url, pathOf("50 MB"), SIZES["50 MB"], seconds, CROWD).finally(() =>
    clearInterval(looking),
  );
  return {
    what: `memory while ${CROWD} take 50 MB each`,
    ours: `${number(most)} MB`,
    against: `${number(before)} MB before`,
    amount: most - before,
    goal: { atMost: MOST_GROWTH_MB },
  };
}

const residentMegabytes = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / KIB;

/** Megabytes per second that this many clients download. */
async function rate(
  url: string,
  path: string,
  size: number,
  seconds: number,
  clients: number,
): Promise<number> {
  const started = performance.now();
  const until = started + seconds * 1000;
  const taken = await Promise.all(Array.from({ length: clients }, () => takeUntil(url, path, size, until)));
  const bytes = taken.reduce((sum, one) => sum + one, 0);
  return bytes / KIB / KIB / ((performance.now() - started) / 1000);
}

/** Requests repeatedly on one connection, and checks the first bytes and the total size. */
function takeUntil(url: string, path: string, size: number, until: number): Promise<number> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), noDelay: true });
  const question = `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
  let taken = 0;
  let left = -1;
  return new Promise((done, fail) => {
    socket.once("error", fail).once("connect", () => socket.write(question));
    socket.on("data", (bytes) => {
      if (left < 0) {
        const head = bytes.indexOf("\r\n\r\n");
        const text = bytes.subarray(0, head).toString("latin1");
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
        if (!text.startsWith("HTTP/1.1 200") || length !== size) return fail(new WrongAnswer(text));
        left = size - (bytes.length - head - 4);
      } else left -= bytes.length;
      if (left > 0) return;
      taken += size;
      left = -1;
      if (performance.now() < until) socket.write(question);
      else socket.end(() => done(taken));
    });
  });
}
