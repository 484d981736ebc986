import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { clockOff } from "./clock.ts";

it("reads another machine's clock from its response, and returns nothing if none answers", async () => {
  const ahead = new Date(Date.now() + 3_600_000).toUTCString();
  const server = createServer((_, response) => response.writeHead(401, { date: ahead }).end());
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(Math.round((await clockOff(url))! / 3_600_000)).toBe(1);
  // The server stays open until here: otherwise another process might get the port.
  server.removeAllListeners("request").on("request", (request) => request.destroy());
  expect(await clockOff(url)).toBeUndefined();
  server.close();
});
