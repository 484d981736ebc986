import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { inPackets, PACKET } from "./packets.ts";

let server: WebSocketServer;
beforeAll(async () => {
  server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
});
afterAll(() => server?.close());

it("writes messages of every length so that a client reads them", async () => {
  // From 126 and from 65,536 bytes on, the length is encoded differently.
  const lengths = [1, 125, 126, 127, 65_535, 65_536, 200_000, 3];
  const texts = ["é", ...lengths.map((length) => "x".repeat(length))];
  const messages = [...texts, ...lengths.map((length) => Buffer.alloc(length, 0xff))];
  server.once("connection", (_ws, { socket }) => {
    for (const packet of inPackets(messages)) socket.write(packet);
  });
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const heard: (string | Buffer)[] = [];
  await new Promise<void>((resolve, reject) => {
    client.on("error", reject).on("message", (bytes: Buffer, isBinary) => {
      heard.push(isBinary ? bytes : String(bytes));
      if (heard.length === messages.length) resolve();
    });
  });
  client.terminate();
  expect(heard.map(({ length }) => length)).toEqual(messages.map(({ length }) => length));
  expect(heard).toEqual(messages);
});

it("combines small messages, and no packet exceeds the limit by more than its last message", () => {
  const packets = inPackets(Array.from({ length: 100 }, () => "x".repeat(2000)));
  expect(packets.length).toBe(Math.ceil((100 * 2004) / PACKET));
  expect(Math.max(...packets.map((packet) => packet.length))).toBeLessThan(PACKET + 2004);
  expect(inPackets([])).toEqual([]);
});
