import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { systemClock } from "../../../server/src/platform/clock.ts";
import { postEvent } from "./webhook.ts";

it("goes to the configured address, wherever that redirects", async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(307, { location: "/elsewhere" }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`;
  const { signal } = new AbortController();
  await expect(postEvent({ url, secret: "whsec_test" }, {}, systemClock, signal)).rejects.toThrow("307");
  expect(asked).toEqual(["/webhook"]);
  server.close();
});
