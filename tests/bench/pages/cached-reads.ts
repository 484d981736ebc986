// P3: the landing pages, compared with bare node:http sending the same bytes, to 32 clients; and the 304 for clients that have the page
// already.
import { fork } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { removeFolder, startFestival, temporaryFolder } from "../../support/server/festival.ts";
import type { BarePage } from "./bare-server.ts";
import { compared, type Figure, type Settings } from "../figures.ts";
import { openHttpClients } from "../http-clients.ts";
import { measureInTurn, WrongAnswer } from "../pairs.ts";

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

/**
 * Requests the page until it is fully compressed: the first caller gets the plain bytes, and a changed page is first compressed quickly.
 */
async function readPage(url: string, path: string): Promise<BarePage> {
  const { hostname, port } = new URL(url);
  let last: string | undefined;
  for (const deadline = Date.now() + 30_000; Date.now() < deadline;) {
    const page = await new Promise<BarePage & { encoding: string | undefined }>((settle, fail) => {
      get({ hostname, port, path, headers: { "accept-encoding": "br" } }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const { date: _date, connection: _connection, "keep-alive": _alive, ...headers } = response.headers;
          settle({
            path,
            headers: headers as Record<string, string>,
            body: Buffer.concat(chunks).toString("base64"),
            encoding: response.headers["content-encoding"],
          });
        });
      }).on("error", fail);
    });
    if (page.encoding === "br" && page.body === last)
      return { path: page.path, headers: page.headers, body: page.body };
    last = page.body;
    await sleep(2_000);
  }
  throw new WrongAnswer(`The page ${path} did not come compressed.`);
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
