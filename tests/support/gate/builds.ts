// The festival at a second address, where a new build of the gate can be released: its service worker then names another file.
// The browser fetches that worker itself, so no route of a test can change it.
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface GateBuilds {
  readonly url: string;
  release(): void;
  close(): void;
}

export async function serveBuilds(festival: string): Promise<GateBuilds> {
  let isNew = false;
  const server = createServer((incoming, outgoing) => {
    const { host: _host, ...headers } = incoming.headers;
    const changes = isNew && incoming.url === "/gate-worker.js";
    if (changes) for (const name of ["if-none-match", "if-modified-since"]) delete headers[name];
    const options = {
      method: incoming.method,
      headers: { ...headers, "accept-encoding": "identity" },
      agent: false, // a kept connection may be closing just as it is reused
    };
    const onward = request(festival + incoming.url, options, (answer) => {
      if (changes) return void text(answer).then((worker) => outgoing.end(anotherBuild(worker)));
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    if (changes) outgoing.setHeader("content-type", "text/javascript");
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    release: () => (isNew = true),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const anotherBuild = (worker: string) => worker.replace(`["/assets/`, `["/gate-192.png?2","/assets/`);
