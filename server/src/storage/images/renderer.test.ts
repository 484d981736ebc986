// How many pictures are made at once, whatever the timing of the requests.
import { expect, it, vi } from "vitest";
import type { ServiceError } from "../../platform/errors.ts";
import { DrawingProcess } from "./drawing-process.ts";
import { Renderer } from "./renderer.ts";

const RENDERING = { options: {}, accept: "", bucketLikesAvif: false };

it("draws for an address no more than a third of a minute, says how long to wait, and draws for another one still", async () => {
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  const drawn = vi
    .spyOn(DrawingProcess.prototype, "draw")
    .mockImplementation(async (_bytes, _rendering, spend) => {
      spend!(8_000);
      return { bytes: Buffer.alloc(0), format: "webp" };
    });
  const renderer = new Renderer();
  const ask = (address: string) => renderer.render(async () => Buffer.alloc(0), RENDERING, address);
  const asked = await Promise.allSettled(Array.from({ length: 8 }, () => ask("203.0.113.7")));
  expect(asked.filter(({ status }) => status === "fulfilled").length).toBeLessThan(6);
  const refused = await ask("203.0.113.7").catch((error: ServiceError) => error);
  expect(refused).toMatchObject({ status: 429, retryAfter: expect.any(Number) });
  const { message, retryAfter } = refused as ServiceError;
  expect(message).toContain(`Try again in ${retryAfter} seconds.`);
  await ask("203.0.113.8");
  now += (retryAfter! - 1) * 1_000;
  await expect(ask("203.0.113.7")).rejects.toMatchObject({ status: 429, retryAfter: 1 });
  now += 1_000;
  await ask("203.0.113.7");
  for (const spy of [clock, drawn]) spy.mockRestore();
});

it("lets addresses take turns, and draws one of an address at once while another waits", async () => {
  const renderer = new Renderer();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (name: string, address: string) => {
    const { promise, reject } = Promise.withResolvers<Buffer>();
    const source = () => {
      begun.push(name);
      ends.push(() => reject(new Error("no picture")));
      return promise;
    };
    return renderer.render(source, RENDERING, address).catch(() => {});
  };
  const all = ["a1", "a2", "a3", "a4", "a5", "b1", "b2", "c1", "a6"].map((name) => ask(name, name[0]!));
  const order = ["a1", "a2", "b1", "a3", "c1", "b2", "a4", "a5", "a6"];
  for (let n = 0; n < order.length; n++) {
    await expect.poll(() => begun).toEqual(order.slice(0, n + 2));
    ends[n]!();
  }
  await Promise.all(all);
});

it("makes two at once, even if a request arrives at the moment another one ends", async () => {
  const renderer = new Renderer();
  const begun: string[] = [];
  const end = new Map<string, (error: Error) => void>();
  const ask = (name: string) => {
    const { promise, reject } = Promise.withResolvers<Buffer>();
    end.set(name, reject);
    const source = () => {
      begun.push(name);
      return promise;
    };
    const made = renderer.render(source, RENDERING, "203.0.113.7").catch(() => {});
    return { ended: promise, made };
  };
  const first = ask("first");
  const others = [ask("second"), ask("third")];
  await expect.poll(() => begun).toEqual(["first", "second"]);
  // Requests a picture after the first has finished, and before the third has begun.
  const asked = [first, ...others];
  const meanwhile = first.ended.catch(() => void asked.push(ask("meanwhile")));
  end.get("first")!(new Error("no picture"));
  await meanwhile;
  await first.made;
  await expect.poll(() => begun).toEqual(["first", "second", "third"]);
  for (const name of ["second", "third"]) end.get(name)!(new Error("no picture"));
  await expect.poll(() => begun).toEqual(["first", "second", "third", "meanwhile"]);
  end.get("meanwhile")!(new Error("no picture"));
  await Promise.all(asked.map(({ made }) => made));
});
