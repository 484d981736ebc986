// How much memory a flood of bodies can take, and what no body may contain.
import { describe, expect, it } from "vitest";
import { Bodies } from "./bodies.ts";
import type { Reading } from "./body-kinds.ts";

const MOST = 4000;
const LIMIT = 900;

const post = (body: string | ReadableStream, headers: Record<string, string> = {}) =>
  new Request("http://localhost/", {
    method: "POST",
    body,
    duplex: "half",
    headers: {
      "content-type": "application/json",
      ...(typeof body === "string"
        ? { "content-length": String(Buffer.byteLength(body)) }
        : { "transfer-encoding": "chunked" }),
      ...headers,
    },
  });
const chunked = (size: number) => post(new Blob(["x".repeat(size)]).stream());
const refusal = (status: number) => expect.objectContaining({ status });

describe("bodies in memory", () => {
  const taken = (bodies: Bodies, request: Request, address: string) =>
    bodies.take(request, address, LIMIT, "json");

  it.each([
    ["declared", (size: number) => post("x".repeat(size))],
    ["chunked", chunked],
  ])("are limited for one request, one address and all together: %s", async (_, make) => {
    const bodies = new Bodies(MOST);
    await expect(taken(bodies, make(901), "a")).rejects.toEqual(refusal(413));
    const first = await taken(bodies, make(900), "a");
    await expect(taken(bodies, make(200), "a")).rejects.toEqual(refusal(429));
    for (const address of ["b", "c", "d"]) await taken(bodies, make(900), address);
    await taken(bodies, make(400), "e");
    await expect(taken(bodies, make(200), "f")).rejects.toEqual(refusal(503));
    first!.release();
    const after = await taken(bodies, make(200), "f");
    expect(after!.bytes).toHaveLength(200);
  });

  it("no longer count once they are refused", async () => {
    const bodies = new Bodies(MOST);
    for (let n = 0; n < 20; n++) await expect(taken(bodies, chunked(901), "a")).rejects.toEqual(refusal(413));
    expect((await taken(bodies, chunked(900), "a"))!.bytes).toHaveLength(900);
  });

  it("do not count while they stream, and are cut off at the limit", async () => {
    const bodies = new Bodies(100);
    const { body } = await bodies.flow(chunked(900), LIMIT, false);
    expect(await new Response(body).text()).toHaveLength(900);
    const cut = await bodies.flow(chunked(901), LIMIT, false);
    await expect(new Response(cut.body).text()).rejects.toEqual(refusal(413));
    await expect(new Response((await bodies.flow(chunked(101), LIMIT, true)).body).text()).rejects.toEqual(
      refusal(503),
    );
  });
});

describe("text that cannot be stored", () => {
  const take = (body: string, type = "application/json", reading: Reading = "text") =>
    new Bodies(MOST).take(post(body, { "content-type": type }), "a", LIMIT, reading);

  it.each([
    ['{"name":"a\\u0000b"}'],
    ['{"na\\u0000me":1}'],
    ['{"name":"\\ud800"}'],
    ['{"name":["\\uDC00 low first"]}'],
    ['{"name":"a\0b"}'],
  ])("is refused in JSON: %j", async (body) => {
    await expect(take(body)).rejects.toEqual(refusal(400));
  });

  it.each(["application/x-www-form-urlencoded", "Application/X-WWW-Form-Urlencoded", "text/plain", ""])(
    "is refused in a form, and in what may be read as one: %j",
    async (type) => {
      await expect(take("name=a%00b", type)).rejects.toEqual(refusal(400));
    },
  );

  it.each(["application/x-www-form-urlencoded", "text/plain", "image/png", "application/json"])(
    "is refused in JSON that says it is %s, or that begins with a byte order mark",
    async (type) => {
      for (const mark of ["", "\ufeff"]) {
        const body = `${mark}{"name":"a\\u0000b"}`;
        const bodies = new Bodies(MOST);
        const headers = { "content-type": type };
        await expect(take(body, type)).rejects.toEqual(refusal(400));
        const stream = post(new Blob([body]).stream(), headers);
        await expect(bodies.take(stream, "a", LIMIT, "json")).rejects.toEqual(refusal(400));
      }
    },
  );

  it.each([
    ['{"name":"\\ud83c\\udfb5"}'],
    ['{"name":"\\\\u0000 as text"}'],
    ['{"name":"é🎵"}'],
    ["not JSON \\u0000"],
    ['{"name":"100%00 as text"}'],
  ])("is not confused with what others send: %j", async (body) => {
    expect((await take(body))!.bytes.toString()).toBe(body);
  });

  it("is allowed in binary data", async () => {
    expect((await take("a\0b", "application/octet-stream", "bytes"))!.bytes.toString()).toBe("a\0b");
  });
});

describe("a body that nests", () => {
  const nested = (depth: number) => '{"a":['.repeat(depth / 2) + "]}".repeat(depth / 2);
  const taken = async (body: string, reading: Reading) =>
    (await new Bodies(MOST).take(post(body), "a", LIMIT, reading))!.bytes.toString();

  it("is refused beyond 64 deep when a service reads JSON, before anything parses it", async () => {
    for (const body of [nested(66), "[".repeat(800), `{"a":"\\\\","b":${"[".repeat(70)}`]) {
      await expect(taken(body, "json")).rejects.toEqual(refusal(400));
      for (const reading of ["text", "bytes"] as const) expect(await taken(body, reading)).toBe(body);
    }
    expect(await taken(nested(64), "json")).toBe(nested(64));
  });

  it("passes when its text holds brackets, or when many objects follow one another", async () => {
    for (const body of [`{"a":"\\"${"[{".repeat(100)}"}`, `[${"{},".repeat(200)}{}]`]) {
      expect(await taken(body, "json")).toBe(body);
    }
  });
});
