// P3: the pages people arrive on, against bare node:http that sends the same bytes, to 32 clients; and the answer to who has
// the page already.
import { fork } from "node:child_process";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { removeFolder, startFestival, temporaryFolder } from "../support/festival.ts";
import type { BarePage } from "./bare-server.ts";
import { compared, type Figure, type Settings } from "./figures.ts";
import { openHttpClients } from "./http-clients.ts";
import { measureInTurn, WrongAnswer } from "./pairs.ts";

const CLIENTS = 32;
const PAGES = ["/", "/tickets"];

export async function measureCachedReads({ pairs, seconds }: Settings): Promise<readonly Figure[]> {
  const dataDir = temporaryFolder();
  const festival = await startFestival({ dataDir });
  const pages = await Promise.all(PAGES.map((path) => readPage(festival.url, path)));
  const bare = fork(join(import.meta.dirname, "bare-server.ts"));
  try {
    bare.send(pages);
    const [port] = (await once(bare, "message")) as [number];
    const bareUrl = `http://127.0.0.1:${port}`;
    const figures: Figure[] = [];
    for (const page of pages) {
      const body = Buffer.from(page.body, "base64").toString("latin1");
      const paired = await measureInTurn(
        () => rate(festival.url, page.path, seconds, {}, { status: 200, body }),
        () => rate(bareUrl, page.path, seconds, {}, { status: 200, body }),
        pairs,
      );
      figures.push(
        compared(`page ${page.path}, compressed`, "/s", "bare node:http", paired, { atLeast: 0.9 }),
      );
    }
    const [home] = pages;
    const known = { "if-none-match": home!.headers["etag"]! };
    const paired = await measureInTurn(
      () => rate(festival.url, "/", seconds, known, { status: 304, body: "" }),
      () => rate(bareUrl, "/", seconds, known, { status: 304, body: "" }),
      pairs,
    );
    return [...figures, compared("page / unchanged, 304", "/s", "bare node:http", paired, { atLeast: 0.95 })];
  } finally {
    bare.disconnect();
    await festival.stop();
    removeFolder(dataDir);
  }
}

/** Asked until it comes compressed: the first caller gets the plain bytes. */
async function readPage(url: string, path: string): Promise<BarePage> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline;) {
    const { headers, body } = await read(url, path, {});
    if (headers["content-encoding"] !== "br") continue;
    const { headers: unchanged } = await read(url, path, { "if-none-match": headers["etag"]! });
    return { path, headers, unchanged, body: body.toString("base64") };
  }
  throw new WrongAnswer(`The page ${path} did not come compressed.`);
}

/** The headers are those that Node does not add by itself. */
async function read(url: string, path: string, asked: Readonly<Record<string, string>>) {
  const { hostname, port } = new URL(url);
  const request = get({ hostname, port, path, headers: { "accept-encoding": "br", ...asked } });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const { date: _date, connection: _connection, "keep-alive": _alive, ...headers } = response.headers;
  return { headers: headers as Record<string, string>, body: Buffer.concat(await response.toArray()) };
}

async function rate(
  url: string,
  path: string,
  seconds: number,
  headers: Readonly<Record<string, string>>,
  expected: { status: number; body: string },
): Promise<number> {
  const lines = Object.entries({ host: "localhost", "accept-encoding": "br", ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  const question = { text: `GET ${path} HTTP/1.1\r\n${lines}\r\n` };
  const http = await openHttpClients(url, CLIENTS);
  let answered = 0;
  const taken = await http.run(
    seconds,
    () => question,
    ({ status, body }) => {
      if (status !== expected.status || body !== expected.body) {
        throw new WrongAnswer(`${path} was answered with ${status} and ${body.length} bytes.`);
      }
      answered += 1;
    },
  );
  http.close();
  return answered / taken;
}
