import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { expect, it } from "vitest";
import { eachLine } from "./lines.ts";

async function linesOf(chunks: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  const stream = Readable.from(chunks, { objectMode: false });
  eachLine(stream, (line) => lines.push(line));
  await finished(stream);
  return lines;
}

it("finds lines wherever they are split, and a last line without a newline", async () => {
  expect(await linesOf(["on", "e\ntwo\n\nthr", "ee"])).toEqual(["one", "two", "", "three"]);
});

it("keeps the beginning of a line that does not end", async () => {
  const [endless, next] = await linesOf([...Array.from({ length: 50 }, () => "x".repeat(64_000)), "\nnext"]);
  expect([endless!.length, next]).toEqual([100_000, "next"]);
});
