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

it("reaches a shop in the same process without the network, and waits for it no longer than the sandbox runs", async () => {
  const stopping = new AbortController();
  const asked: string[] = [];
  const webhook = {
    url: "http://shop.test/webhook",
    secret: "whsec_test",
    fetch: (request: Request) => {
      asked.push(request.url);
      return asked.length === 1 ? Promise.resolve(new Response()) : new Promise<Response>(() => {});
    },
  };
  await postEvent(webhook, {}, systemClock, stopping.signal);
  const unanswered = postEvent(webhook, {}, systemClock, stopping.signal);
  stopping.abort(new Error("The sandbox stops"));
  await expect(unanswered).rejects.toThrow("The sandbox stops");
  expect(asked).toEqual(["http://shop.test/webhook", "http://shop.test/webhook"]);
});
