// The official client's features with functions that run in Deno, through the gateway.
import { connect } from "node:net";
import {
  FunctionRegion,
  FunctionsFetchError,
  FunctionsHttpError,
  FunctionsRelayError,
} from "@supabase/supabase-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { watchCalls } from "../../../testing/client-calls.ts";
import { openProject, type Project } from "../../../testing/functions.ts";

/** Answers with what it received. */
const ECHO = `
Deno.serve({ port: 9999 }, async (request) => {
  const { pathname, search } = new URL(request.url);
  const body = new Uint8Array(await request.arrayBuffer());
  return Response.json({
    method: request.method,
    path: pathname + search,
    type: request.headers.get("content-type"),
    region: request.headers.get("x-region"),
    custom: request.headers.get("x-custom"),
    origin: new URL(request.url).origin,
    hex: Array.from(body, (byte) => byte.toString(16).padStart(2, "0")).join(""),
  }, { headers: { "x-own": "yes", "set-cookie": "a=b" } });
});`;

const ANSWERS = `
const form = () => { const form = new FormData(); form.set("name", "Beyoncé"); return form; };
const answers = {
  "/answers/json": () => Response.json({ ok: true }),
  "/answers/text": () => new Response("plain"),
  "/answers/bytes": () => new Response(new Uint8Array([0, 255, 7]), { headers: { "content-type": "application/octet-stream" } }),
  "/answers/pdf": () => new Response("%PDF", { headers: { "content-type": "application/pdf" } }),
  "/answers/form": () => new Response(form()),
  "/answers/empty": () => new Response(null, { status: 204 }),
  "/answers/refused": () => Response.json({ why: "no" }, { status: 422 }),
  "/answers/broken": () => { throw new Error("thrown on purpose"); },
  "/answers/redirect": () => new Response(null, { status: 303, headers: { location: "/elsewhere" } }),
};
Deno.serve((request) => {
  console.log("asked for", new URL(request.url).pathname, { deep: [1] });
  return answers[new URL(request.url).pathname]();
});`;

/** Sends one event, and the next once something has arrived on the other path. */
const STREAMS = `
let go = Promise.withResolvers();
let waiting = 0;
let cancelled = 0;
Deno.serve(async (request) => {
  const { pathname } = new URL(request.url);
  if (pathname === "/streams/go") { go.resolve(); go = Promise.withResolvers(); return new Response("gone on"); }
  if (pathname === "/streams/waiting") return Response.json(waiting);
  if (pathname === "/streams/cancelled") return Response.json(cancelled);
  if (pathname === "/streams/waits") {
    waiting++;
    request.signal.addEventListener("abort", () => waiting--);
    await new Promise(() => {});
  }
  if (pathname === "/streams/upper") {
    return new Response(request.body.pipeThrough(new TextDecoderStream()).pipeThrough(new TransformStream({
      transform: (text, out) => out.enqueue(text.toUpperCase()),
    })).pipeThrough(new TextEncoderStream()));
  }
  const wait = go.promise;
  return new Response(new ReadableStream({
    async start(out) {
      const send = (text) => out.enqueue(new TextEncoder().encode(text));
      send("data: one\\n\\n");
      await wait;
      send("data: two\\n\\n");
      out.close();
    },
    cancel() { cancelled++; },
  }), { headers: { "content-type": "text/event-stream" } });
});`;

const PREFLIGHT = `
Deno.serve((request) => request.method === "OPTIONS"
  ? new Response("mine", { headers: { "access-control-allow-origin": "https://one.example" } })
  : new Response("called"));`;

const EXPORTED = `export default { fetch: () => new Response("from the export") };`;

let project: Project;
beforeAll(async () => {
  project = await openProject(
    {
      "functions/echo/index.ts": ECHO,
      "functions/answers/index.ts": ANSWERS,
      "functions/streams/index.ts": STREAMS,
      "functions/own-cors/index.ts": PREFLIGHT,
      "functions/exported/index.ts": EXPORTED,
    },
    { bounds: { most: 5 } },
  );
});
afterAll(() => project.close());

const calls = watchCalls(/^$/);
/** The functions client, created with options. The SDK does not export its class. */
function functionsClient(region: FunctionRegion = FunctionRegion.Any) {
  type Client = Project["client"]["functions"];
  const FunctionsClient = project.client.functions.constructor as new (
    url: string,
    options: object,
  ) => Client;
  const headers = { Authorization: `Bearer ${project.keys.anon}` };
  return calls.watch(new FunctionsClient(`${project.origin}/functions/v1`, { headers, region }));
}
const invoke = (...call: Parameters<Project["client"]["functions"]["invoke"]>) =>
  calls.watch(project.client.functions).invoke(...call);

const hex = (text: string) => Buffer.from(text).toString("hex");

describe("what a client sends", () => {
  it("arrives in each method, with subpath, query and headers", async () => {
    const path = "/echo/sub/path?q=a%20b";
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"] as const) {
      const options = { method, headers: { "x-custom": "yes" } };
      const { data } = await invoke(path.slice(1), options);
      expect(data).toMatchObject({ method, path, custom: "yes", hex: "" });
      if (method === "GET") continue; // fetch sends no body with it
      const { data: withBody } = await invoke(path.slice(1), { ...options, body: { n: 1 } });
      expect(withBody).toMatchObject({ method, type: "application/json", hex: hex('{"n":1}') });
    }
    const head = await project.ask("echo", { method: "HEAD" });
    expect([head.status, head.headers.get("x-own"), await head.text()]).toEqual([200, "yes", ""]);
  });

  it("arrives unchanged, whatever kind of body it is", async () => {
    const bytes = new Uint8Array([0, 255, 128, 10]);
    const kinds = [
      [{ a: "ä" }, "application/json", hex('{"a":"ä"}')],
      ["text", "text/plain", hex("text")],
      [bytes.buffer, "application/octet-stream", "00ff800a"],
      [new Blob([bytes], { type: "image/png" }), "image/png", "00ff800a"],
      [new File([bytes], "a.bin"), "application/octet-stream", "00ff800a"],
    ] as const;
    for (const [body, type, sent] of kinds) {
      const { data } = await invoke("echo", { body });
      expect(data).toMatchObject({ type, hex: sent });
    }
    const form = new FormData();
    form.set("name", "Beyoncé");
    const { data } = await invoke("echo", { body: form });
    expect(data.type).toMatch(/^multipart\/form-data; boundary=/);
    expect(Buffer.from(data.hex, "hex").toString()).toContain("Beyoncé");
  });

  it("keeps the content type that the caller sets", async () => {
    const headers = { "content-type": "application/vnd.festival+json" };
    for (const body of ['{"n":1}', { n: 1 }]) {
      const { data } = await invoke("echo", { body, headers });
      expect(data).toMatchObject({ type: headers["content-type"], hex: hex('{"n":1}') });
    }
  });

  it("cannot be a stream, whatever the types say: the client serializes one as JSON", async () => {
    const body = new Blob(["streamed"]).stream();
    const { data } = await invoke("echo", { body });
    expect(data).toMatchObject({ type: "application/json", hex: hex("{}") });
  });

  it("may be larger than a function in process accepts, and is limited", async () => {
    const large = new Uint8Array(300_000).fill(65);
    const { data } = await invoke("echo", { body: large.buffer });
    expect(data.hex.length).toBe(600_000);
    const { hostname, port } = new URL(project.origin);
    const socket = connect(Number(port), hostname).setEncoding("utf8");
    let heard = "";
    socket.on("data", (text: string) => (heard += text));
    const declared = 52 * 1024 * 1024;
    socket.write(
      `POST /functions/v1/echo HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${project.keys.anon}\r\ncontent-length: ${declared}\r\n\r\n`,
    );
    await expect.poll(() => heard).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it("is cut off where it turns out to be too large", async () => {
    const { hostname, port } = new URL(project.origin);
    const socket = connect(Number(port), hostname).setEncoding("utf8");
    let heard = "";
    socket.on("data", (text: string) => (heard += text));
    const size = 50 * 1024 * 1024 + 1;
    socket.write(
      `POST /functions/v1/echo HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${project.keys.anon}\r\ntransfer-encoding: chunked\r\n\r\n${size.toString(16)}\r\n`,
    );
    socket.write(Buffer.alloc(size));
    await expect.poll(() => heard).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it("carries the requested region, and the answer names it", async () => {
    const { data, response } = await invoke("echo", { region: FunctionRegion.EuWest3 });
    expect(data).toMatchObject({ region: "eu-west-3", path: "/echo?forceFunctionRegion=eu-west-3" });
    expect(response!.headers.get("x-sb-edge-region")).toBe("eu-west-3");
    const everywhere = functionsClient(FunctionRegion.SaEast1);
    expect((await everywhere.invoke("echo")).data).toMatchObject({ region: "sa-east-1" });
    const called = await everywhere.invoke("echo", { region: FunctionRegion.UsWest1 });
    expect(called.data).toMatchObject({ region: "us-west-1" });
    const elsewhere = await project.ask("echo?forceFunctionRegion=us-east-1");
    expect(elsewhere.headers.get("x-sb-edge-region")).toBe("us-east-1");
    const nowhere = await project.ask("echo", {
      headers: { authorization: `Bearer ${project.keys.anon}`, "x-region": "the-moon" },
    });
    expect(nowhere.headers.get("x-sb-edge-region")).toBe("local");
  });

  it("may carry a session's token instead of the key", async () => {
    const client = functionsClient();
    const token = project.tokens.sign({ role: "authenticated", sub: "someone" });
    client.setAuth(token);
    expect((await client.invoke("echo")).error).toBeNull();
    client.setAuth("nonsense");
    expect((await client.invoke("echo")).error).toBeInstanceOf(FunctionsRelayError);
  });
});

describe("what a function answers", () => {
  it("is read by its content type", async () => {
    const data = async (name: string) => (await invoke(`answers/${name}`)).data;
    expect(await data("json")).toEqual({ ok: true });
    expect(await data("text")).toBe("plain");
    expect(new Uint8Array(await (await data("bytes")).arrayBuffer())).toEqual(new Uint8Array([0, 255, 7]));
    expect(await (await data("pdf")).text()).toBe("%PDF");
    expect((await data("form")).get("name")).toBe("Beyoncé");
    expect(await data("empty")).toBe("");
  });

  it("is the function's own error when it refuses or throws", async () => {
    const refused = await invoke("answers/refused");
    expect(refused.error).toBeInstanceOf(FunctionsHttpError);
    expect([refused.error.context.status, await refused.error.context.json()]).toEqual([422, { why: "no" }]);
    const broken = await invoke("answers/broken");
    expect(broken.error).toBeInstanceOf(FunctionsHttpError);
    const { status, headers } = broken.response!;
    expect([status, headers.get("sb-error-code")]).toEqual([500, "EDGE_FUNCTION_ERROR"]);
    await expect
      .poll(() => project.lines.some(({ message }) => message.includes("thrown on purpose")))
      .toBe(true);
  });

  it("may redirect, and keeps its headers", async () => {
    const redirect = await project.ask("answers/redirect", { redirect: "manual" });
    expect([redirect.status, redirect.headers.get("location")]).toEqual([303, "/elsewhere"]);
    expect((await project.ask("echo")).headers.getSetCookie()).toEqual(["a=b"]);
  });

  it("is logged with its request, in the server's own log", async () => {
    const answer = await project.ask("answers/json");
    const requestId = answer.headers.get("x-request-id");
    expect(requestId).toMatch(/^[\w-]{36}$/);
    await expect
      .poll(() => project.lines.find((line) => line.requestId === requestId))
      .toMatchObject({
        level: "info",
        function: "answers",
        message: "asked for /answers/json { deep: [ 1 ] }",
      });
  });

  it("may come from the module's export", async () => {
    expect((await invoke("exported")).data).toBe("from the export");
  });

  it("decides which origins may read it, preflights included", async () => {
    const preflight = await project.ask("own-cors", {
      method: "OPTIONS",
      headers: { origin: "https://one.example", "access-control-request-method": "POST" },
    });
    expect([preflight.status, await preflight.text()]).toEqual([200, "mine"]);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("https://one.example");
    const called = await project.ask("own-cors");
    expect([await called.text(), called.headers.get("access-control-allow-origin")]).toEqual([
      "called",
      null,
    ]);
  });
});

describe("streams", () => {
  it("pass on events one by one", async () => {
    const { data } = await invoke("streams");
    const reader = (data as Response).body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe("data: one\n\n");
    await invoke("streams/go");
    expect((await reader.read()).value).toBe("data: two\n\n");
    expect((await reader.read()).done).toBe(true);
  });

  it("flow both ways at once", async () => {
    const { hostname, port } = new URL(project.origin);
    const socket = connect(Number(port), hostname).setEncoding("utf8");
    let heard = "";
    socket.on("data", (text: string) => (heard += text));
    socket.write(
      `POST /functions/v1/streams/upper HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${project.keys.anon}\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n`,
    );
    await expect.poll(() => heard).toContain("ONE");
    socket.write("3\r\ntwo\r\n0\r\n\r\n");
    await expect.poll(() => heard).toContain("TWO");
    socket.destroy();
  });

  it("end in the function when the client stops waiting or reading", async () => {
    const waiting = async () => (await invoke("streams/waiting")).data;
    const controller = new AbortController();
    const call = invoke("streams/waits", { signal: controller.signal });
    await expect.poll(waiting).toBe(1);
    controller.abort();
    expect((await call).error).toBeInstanceOf(FunctionsFetchError);
    await expect.poll(waiting).toBe(0);
    expect((await invoke("streams/waits", { timeout: 500 })).error).toBeInstanceOf(FunctionsFetchError);
    await expect.poll(waiting).toBe(0);
    // With both, the earlier one wins.
    const { signal } = new AbortController();
    const late = await invoke("streams/waits", { signal, timeout: 500 });
    expect(late.error).toBeInstanceOf(FunctionsFetchError);
    await expect.poll(waiting).toBe(0);
    const both = new AbortController();
    const soon = invoke("streams/waits", { signal: both.signal, timeout: 300_000 });
    await expect.poll(waiting).toBe(1);
    both.abort();
    expect((await soon).error).toBeInstanceOf(FunctionsFetchError);
    await expect.poll(waiting).toBe(0);
    const cancelled = async () => (await invoke("streams/cancelled")).data;
    expect(await cancelled()).toBe(0);
    const { data } = await invoke("streams");
    await (data as Response).body!.cancel();
    await expect.poll(cancelled).toBe(1);
  });
});

it("every client method is called above", () => {
  expect(calls.uncalled()).toEqual([]);
  expect(calls.known()).toBeGreaterThan(1);
});
