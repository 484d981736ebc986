// How many pictures are made at once, whatever the timing of the requests.
import { expect, it, vi } from "vitest";
import { DrawingProcess } from "./drawing-process.ts";
import { Renderer } from "./renderer.ts";

const WISH = { options: {}, accept: "", bucketLikesAvif: false };

it("draws for an address no more than a third of a minute, and for another one still", async () => {
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  const drawn = vi.spyOn(DrawingProcess.prototype, "draw").mockImplementation(async () => {
    now += 8_000;
    return { bytes: Buffer.alloc(0), format: "webp" };
  });
  const renderer = new Renderer();
  const ask = (address: string) => renderer.render(async () => Buffer.alloc(0), WISH, address);
  const asked = await Promise.allSettled(Array.from({ length: 8 }, () => ask("203.0.113.7")));
  expect(asked.filter(({ status }) => status === "fulfilled").length).toBeLessThan(6);
  await expect(ask("203.0.113.7")).rejects.toMatchObject({ status: 429 });
  await ask("203.0.113.8");
  now += 60_000;
  await ask("203.0.113.7");
  for (const spy of [clock, drawn]) spy.mockRestore();
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
    const made = renderer.render(source, WISH, "203.0.113.7").catch(() => {});
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
