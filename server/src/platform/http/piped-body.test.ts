// The body read as a Web stream, as functions, pictures and tests do.
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { PipedBody } from "./piped-body.ts";

it("opens nothing before it is read, and ends with its source", async () => {
  let opened = 0;
  const body = new PipedBody(() => {
    opened++;
    return Readable.from([Buffer.from("a"), Buffer.from("b")]);
  });
  await new Promise((done) => setImmediate(done));
  expect(opened).toBe(0);
  expect(await new Response(body).text()).toBe("ab");
  expect(opened).toBe(1);
});

it.each([false, true])("destroys its source when the rest is not wanted, read before: %s", async (read) => {
  const source = Readable.from([Buffer.from("a"), Buffer.from("b")]);
  const body = new PipedBody(() => source);
  const reader = body.getReader();
  if (read) await reader.read();
  await reader.cancel();
  expect(source.destroyed).toBe(true);
});
