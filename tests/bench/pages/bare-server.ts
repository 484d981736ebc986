// The best node:http can do, in a separate process: sends the same bytes for the same path, and 304 to clients that have
// them. The parent sends the pages once and receives the port.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface BarePage {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Base 64. */
  readonly body: string;
}

/** Headers that a 304 must repeat (RFC 9110, section 15.4.5). */
const REPEATED = ["etag", "cache-control", "vary"];

process.once("message", (pages: readonly BarePage[]) => {
  const answers = new Map(
    pages.map(({ path, headers, body }) => {
      const bytes = Buffer.from(body, "base64");
      const unchanged = Object.fromEntries(
        REPEATED.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])),
      );
      return [path, { headers: { ...headers, "content-length": bytes.length }, unchanged, bytes }];
    }),
  );
  const server = createServer((request, response) => {
    const { headers, unchanged, bytes } = answers.get(request.url!)!;
    if (request.headers["if-none-match"] !== undefined) response.writeHead(304, unchanged).end();
    else response.writeHead(200, headers).end(bytes);
  }).listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
});
process.once("disconnect", () => process.exit());
