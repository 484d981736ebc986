import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it } from "vitest";
import { oneAtATime } from "./one-at-a-time.ts";

it("stops parsing a socket's data once it is closed for sending too far ahead", async () => {
  let read = 0;
  const server = createServer(
    oneAtATime(
      () => {},
      () => {},
      () => {},
    ),
  ).on("request", () => read++);
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
  const closed = new Promise((done) => socket.once("close", done));
  socket.resume().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3000));
  await closed;
  expect(read).toBe(10); // one served, eight waiting, and one too many
  await new Promise((done) => server.close(done));
});
