// The client of the hostile requests takes an answer for what it is, so that its typed body can be checked.
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it } from "vitest";
import { isUntyped } from "./fire.ts";
import { RawClient } from "./raw-client.ts";

const NEXT = "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";

/** What the client takes for the answer, from a server that sends these bytes. */
async function answerTo(method: string, sent: string): Promise<string> {
  const server = createServer((socket) => socket.once("data", () => socket.write(sent)));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const client = new RawClient((server.address() as AddressInfo).port);
  const { text } = await client.ask({ bytes: Buffer.from(`${method} / HTTP/1.1\r\n\r\n`), method }, 5_000);
  client.close();
  server.close();
  return text;
}

it.each([
  ["HEAD", "HTTP/1.1 417 Expectation Failed\r\n\r\n"],
  ["HEAD", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n"],
  ["GET", "HTTP/1.1 204 No Content\r\n\r\n"],
  ["GET", "HTTP/1.1 304 Not Modified\r\n\r\n"],
  ["POST", "HTTP/1.1 413 Payload Too Large\r\ncontent-length: 0\r\n\r\n"],
])("%s: the next answer is no body of %j", async (method, answer) => {
  const text = await answerTo(method, answer + NEXT);
  expect(text).toBe(answer);
  expect(isUntyped(text)).toBe(false);
});

it.each([
  ["without a type", "HTTP/1.1 400 Bad Request\r\ncontent-length: 5\r\n\r\nwrong"],
  [
    "without a charset",
    "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nwrong",
  ],
  ["in chunks", "HTTP/1.1 400 Bad Request\r\ntransfer-encoding: chunked\r\n\r\n5\r\nwrong\r\n0\r\n\r\n"],
  ["after Continue", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 417 No\r\ncontent-length: 5\r\n\r\nwrong"],
])("a body %s is found", async (_, answer) => {
  expect(isUntyped(await answerTo("POST", answer + (answer.includes("chunked") ? "" : NEXT)))).toBe(true);
});
