// The request that a handler in this process receives, sent by the official client through the gateway.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openProject, type Project } from "../../testing/functions.ts";

/** `read` is the handler's code. */
const handler = (read: string) => `export const handler = async (request) => { ${read} };`;
const HEX = `Buffer.from(bytes).toString("hex")`;

const READERS = {
  text: `return new Response(await request.text());`,
  json: `return Response.json(await request.json());`,
  "array-buffer": `const bytes = await request.arrayBuffer(); return new Response(${HEX});`,
  bytes: `const bytes = await request.bytes(); return new Response(${HEX});`,
  blob: `const blob = await request.blob(); const bytes = await blob.arrayBuffer();
    return new Response(blob.type + " " + ${HEX});`,
  body: `const bytes = Buffer.concat(await Array.fromAsync(request.body)); return new Response(${HEX});`,
  clone: `const copy = request.clone(); const bytes = await copy.arrayBuffer();
    return new Response(await request.text() === Buffer.from(bytes).toString() ? ${HEX} : "not the same");`,
  copy: `const bytes = await new Request(request.clone(), { headers: {} }).bytes(); return new Response(${HEX});`,
  form: `const form = await request.formData(); const bytes = await form.get("file").arrayBuffer();
    return new Response(form.get("name") + " " + ${HEX});`,
  urlencoded: `return Response.json([...await request.formData()]);`,
  facts: `const { method, url, bodyUsed, cache, credentials, mode, redirect, keepalive, destination } = request;
    return Response.json({ is: request instanceof Request, method, path: new URL(url).pathname, bodyUsed, cache, credentials, mode,
      redirect, keepalive, destination, custom: request.headers.get("x-custom"), aborted: request.signal.aborted });`,
  twice: `await request.text(); const again = await request.text().catch((error) => error);
    let copy; try { copy = request.clone(); } catch (error) { copy = error; }
    return Response.json([request.bodyUsed, again instanceof TypeError, copy instanceof TypeError, request.cache]);`,
  empty: `return Response.json([request.body, await request.text(), await request.text(), request.bodyUsed]);`,
};

/** A GET answers with how many clients are still waiting. */
const WAITS = `let gone = Promise.withResolvers(); let waiting = 0;
export const handler = async (request) => {
  if (request.method === "GET") return Response.json(waiting);
  waiting++;
  request.signal.addEventListener("abort", () => { waiting--; gone.resolve(); });
  await gone.promise;
  return new Response("nobody reads this");
};`;

let project: Project;
beforeAll(async () => {
  const files = Object.entries(READERS).map(([name, read]) => [
    `functions/${name}/handler.ts`,
    handler(read),
  ]);
  project = await openProject({
    ...(Object.fromEntries(files) as Record<string, string>),
    "functions/waits/handler.ts": WAITS,
  });
});
afterAll(() => project.close());

const invoke = async (...call: Parameters<Project["client"]["functions"]["invoke"]>) =>
  (await project.client.functions.invoke(...call)).data;

/** Invalid UTF-8, with a NUL, and nested deeper than JSON may be. */
const bytes = Buffer.concat([Buffer.from([0, 255, 128, 10]), Buffer.alloc(65, "[")]);
const hex = bytes.toString("hex");

describe("what a handler reads", () => {
  it.each(["array-buffer", "bytes", "body"])("is every byte that was sent: %s", async (name) => {
    expect(await invoke(name, { body: new Uint8Array([255]).buffer })).toBe("ff");
    for (const body of [new Uint8Array(bytes).buffer, new Blob([bytes], { type: "image/png" })])
      expect(await invoke(name, { body })).toBe(hex);
  });

  it("is a blob of its type, and a form with its files", async () => {
    const file = new Blob([bytes], { type: "image/png" });
    expect(await invoke("blob", { body: file })).toBe(`image/png ${hex}`);
    const form = new FormData();
    form.set("name", "Beyoncé");
    form.set("file", file);
    expect(await invoke("form", { body: form })).toBe(`Beyoncé ${hex}`);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expect(await invoke("urlencoded", { body: "a=1&b=%C3%A4", headers })).toEqual([
      ["a", "1"],
      ["b", "ä"],
    ]);
  });

  it.each(["array-buffer", "bytes", "body", "clone", "copy"])("is JSON and text too: %s", async (name) => {
    expect(await invoke(name, { body: { a: "ä" } })).toBe(Buffer.from('{"a":"ä"}').toString("hex"));
    const headers = { "content-type": "text/plain" };
    expect(await invoke(name, { body: "ä", headers })).toBe(Buffer.from("ä").toString("hex"));
  });

  it("is parsed, or text", async () => {
    expect(await invoke("json", { body: { a: "ä" } })).toEqual({ a: "ä" });
    expect(await invoke("text", { body: "ä" })).toBe("ä");
  });

  it("can be read only once, unless it is empty", async () => {
    expect(await invoke("twice", { body: { a: 1 } })).toEqual([true, true, true, "default"]);
    expect(await invoke("empty", { method: "POST" })).toEqual([null, "", "", false]);
  });
});

describe("a handler's request", () => {
  it("has every member of a Request", async () => {
    for (const method of ["GET", "POST", "DELETE"] as const) {
      expect(await invoke("facts/below", { method, headers: { "x-custom": "yes" } })).toEqual({
        ...{
          is: true,
          method,
          path: "/functions/v1/facts/below",
          bodyUsed: false,
          custom: "yes",
          aborted: false,
        },
        ...{ cache: "default", credentials: "same-origin", mode: "cors", redirect: "follow" },
        ...{ keepalive: false, destination: "" },
      });
    }
  });

  it("aborts its signal when the client disconnects", async () => {
    const controller = new AbortController();
    const call = invoke("waits", { body: {}, signal: controller.signal });
    await expect.poll(() => invoke("waits", { method: "GET" })).toBe(1);
    controller.abort();
    await call;
    await expect.poll(() => invoke("waits", { method: "GET" })).toBe(0);
  });
});
