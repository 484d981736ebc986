// Pictures to store, and what the server makes of them: the same every time, so that half a picture in its cache shows.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../support/server/festival.ts";
import { isDone, isInDoubt, type Reply } from "./calls.ts";

const FILES = ["icon-192.png", "gate-192.png", "apple-touch-icon.png"];
const WIDTHS = [16, 40, 90];

export interface Pictures {
  readonly all: readonly Buffer[];
  /** Requests the object in each width with `look`. Returns what is wrong, if anything. */
  compare(
    look: (path: string) => Promise<Reply>,
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
        const reply = await look(`/render/image/authenticated/${bucket}/${name}?width=${width}`);
        if (isInDoubt(reply)) continue;
        if (!isDone(reply)) return `a picture of it was answered ${reply.status} ${reply.bytes.toString()}`;
        const key = `${isOf(source)} ${width}`;
        const first = made.get(key);
        if (!first) made.set(key, reply.bytes);
        else if (!first.equals(reply.bytes)) return `its picture of width ${width} has changed`;
      }
      return undefined;
    },
  };
}
