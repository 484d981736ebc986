// Pictures to store, and what the server makes of them: the same every time, so that half a picture in its cache shows.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../support/server/festival.ts";
import { isDone, isInDoubt, type Answer } from "./calls.ts";

const FILES = ["icon-192.png", "gate-192.png", "apple-touch-icon.png"];
const WIDTHS = [16, 40, 90];

export interface Pictures {
  readonly all: readonly Buffer[];
  /** Requests the object in each width with `look`. Returns what is wrong, if anything. */
  compare(
    look: (path: string) => Promise<Answer>,
    bucket: string,
    name: string,
    source: Buffer,
  ): Promise<string | undefined>;
}

export function createPictures(): Pictures {
  const all = FILES.map((file) => readFileSync(join(root, "site/public", file)));
  const isOf = (source: Buffer) => all.findIndex((picture) => picture.equals(source));
  const made = new Map<string, Buffer>();
  return {
    all,
    async compare(look, bucket, name, source) {
      for (const width of WIDTHS) {
        const answer = await look(`/render/image/authenticated/${bucket}/${name}?width=${width}`);
        if (isInDoubt(answer)) continue;
        if (!isDone(answer))
          return `a picture of it was answered ${answer.status} ${answer.bytes.toString()}`;
        const key = `${isOf(source)} ${width}`;
        const first = made.get(key);
        if (!first) made.set(key, answer.bytes);
        else if (!first.equals(answer.bytes)) return `its picture of width ${width} has changed`;
      }
      return undefined;
    },
  };
}
