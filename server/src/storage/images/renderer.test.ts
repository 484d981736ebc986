// How many pictures are made at once, whatever the timing of the requests.
import { expect, it } from "vitest";
import { Renderer } from "./renderer.ts";

const WISH = { options: {}, accept: "", bucketLikesAvif: false };

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
