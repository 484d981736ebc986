// The best node:http can do with a file, in a separate process: streams the file that the path names. The parent sends the files
// once and receives the port.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

process.once("message", (files: Readonly<Record<string, string>>) => {
  const server = createServer((request, response) => {
    const path = files[request.url!]!;
    response.writeHead(200, { "content-length": statSync(path).size, "content-type": "image/png" });
    createReadStream(path).pipe(response);
  }).listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
});
process.once("disconnect", () => process.exit());
