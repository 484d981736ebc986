// A process's output, line by line. One that never ends its line must not fill the server's memory.
import type { Readable } from "node:stream";

/**
 * The rest of a longer line is dropped. The bootstrap's lines are shorter: 10,000 characters, each of which takes at most six in
 * JSON.
 */
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
