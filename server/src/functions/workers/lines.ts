// What a process writes, line by line. One that never ends its line must not fill the server's memory.
import type { Readable } from "node:stream";

/** The rest of a longer line is left out. The bootstrap's are shorter: 10,000 characters, of which JSON makes six each at most. */
const LONGEST = 100_000;

export function eachLine(stream: Readable, onLine: (line: string) => void): void {
  let line = "";
  const add = (text: string) => {
    if (line.length < LONGEST) line += text.slice(0, LONGEST - line.length);
  };
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    const [rest = "", ...others] = chunk.split("\n");
    add(rest);
    for (const next of others) {
      onLine(line);
      line = "";
      add(next);
    }
  });
  stream.once("end", () => onLine(line));
}
