// How much memory a flood of bodies can take, and what no body may contain.
import { describe, expect, it } from "vitest";
import { Bodies } from "./bodies.ts";

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
  it.each([
    ["declared", (size: number) => post("x".repeat(size))],
    ["chunked", chunked],
  ])("are limited for one request, one address and all together: %s", async (_, make) => {
    const bodies = new Bodies(MOST);
    await expect(bodies.take(make(901), "a", LIMIT)).rejects.toEqual(refusal(413));
    const first = await bodies.take(make(900), "a", LIMIT);
    await expect(bodies.take(make(200), "a", LIMIT)).rejects.toEqual(refusal(429));
    for (const address of ["b", "c", "d"]) await bodies.take(make(900), address, LIMIT);
    await bodies.take(make(400), "e", LIMIT);
    await expect(bodies.take(make(200), "f", LIMIT)).rejects.toEqual(refusal(503));
    first!.release();
    const after = await bodies.take(make(200), "f", LIMIT);
    expect(after!.bytes).toHaveLength(200);
  });

  it("no longer count once they are refused", async () => {
    const bodies = new Bodies(MOST);
    for (let n = 0; n < 20; n++)
      await expect(bodies.take(chunked(901), "a", LIMIT)).rejects.toEqual(refusal(413));
    expect((await bodies.take(chunked(900), "a", LIMIT))!.bytes).toHaveLength(900);
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
  const take = (body: string, type = "application/json") =>
    new Bodies(MOST).take(post(body, { "content-type": type }), "a", LIMIT);

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
        await expect(bodies.takeText(post(body, headers), "a", LIMIT)).rejects.toEqual(refusal(400));
        const stream = post(new Blob([body]).stream(), headers);
        await expect(bodies.takeText(stream, "a", LIMIT)).rejects.toEqual(refusal(400));
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
    expect((await take("a\0b", "application/octet-stream"))!.bytes.toString()).toBe("a\0b");
  });
});

describe("a body that nests", () => {
  const nested = (depth: number) => '{"a":['.repeat(depth / 2) + "]}".repeat(depth / 2);

  it.each([
    "application/json",
    "text/plain",
    "application/octet-stream",
    "application/x-www-form-urlencoded",
  ])("is refused beyond 64 deep, before anything parses it: %s", async (type) => {
    const bodies = new Bodies(MOST);
    const headers = { "content-type": type };
    for (const body of [nested(66), "[".repeat(800), `{"a":"\\\\","b":${"[".repeat(70)}`]) {
      await expect(bodies.take(post(body, headers), "a", LIMIT)).rejects.toEqual(refusal(400));
      await expect(bodies.takeText(post(body, headers), "a", LIMIT)).rejects.toEqual(refusal(400));
    }
    expect((await bodies.takeText(post(nested(64), headers), "a", LIMIT)).text).toBe(nested(64));
  });

  it("passes when its text holds brackets, or when many objects follow one another", async () => {
    for (const body of [`{"a":"\\"${"[{".repeat(100)}"}`, `[${"{},".repeat(200)}{}]`]) {
      expect((await new Bodies(MOST).takeText(post(body), "a", LIMIT)).text).toBe(body);
    }
  });
});
