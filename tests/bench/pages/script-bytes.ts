// P9: the script each page of the built site needs before it can be used, compressed as the server sends it, and what it may
// load later. Reads the built files: a module's static imports are needed first, its dynamic imports come later.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { publicPaths } from "../../../site/src/app/pages.ts";
import { buildSite } from "../../../scripts/site-build.ts";
import { root } from "../../support/server/festival.ts";
import { type Figure, number } from "../figures.ts";
import { WrongAnswer } from "../pairs.ts";

const client = join(root, "site/build/client");
/** The most that a page may need: the home page, and any other public one. */
export const mostBytes = (path: string): number => (path === "/" ? 90_000 : 110_000);

export async function measureScriptBytes(): Promise<readonly Figure[]> {
  buildSite({ announce: () => {} });
  return publicPaths.map((path) => {
    const { before, later } = scriptOf(path);
    const sent = before / 1000;
    return {
      what: `script of ${path}, brotli`,
      ours: `${number(sent)} KB`,
      against: `${number(later() / 1000)} KB at most later`,
      amount: sent,
      goal: { atMost: mostBytes(path) / 1000 },
    };
  });
}

/** The script of a built page, in bytes as sent. `later` takes ten times as long to compress. */
export function scriptOf(path: string): { before: number; later: () => number } {
  const html = readFileSync(join(client, path, "index.html"), "utf8");
  const inline = [
    ...html.matchAll(/<script(?![^>]*application\/(?:ld\+)?json)[^>]*>([\s\S]*?)<\/script>/g),
  ].map(([, text]) => text!);
  // The page's own script requests everything it names at once, by import and by import().
  const before = closure(inline.flatMap((text) => [...imported(text), ...importedOnDemand(text)]));
  if (before.size < 2)
    throw new WrongAnswer(`The page ${path} loads no script: has the build changed its shape?`);
  const everything = closure(before, (text) => [...imported(text), ...importedOnDemand(text)]);
  const sum = (files: Iterable<string>) =>
    [...files].reduce((total, file) => total + compressed(read(file)), 0);
  const sent = sum(before) + inline.reduce((total, text) => total + compressed(text), 0);
  return { before: sent, later: () => sum(everything) - sum(before) };
}

/** The files and everything they import, transitively. */
function closure(files: Iterable<string>, edges = imported): Set<string> {
  const seen = new Set(files);
  for (const file of seen) for (const next of edges(read(file))) seen.add(next);
  return seen;
}

const imported = (text: string) =>
  names(text, /(?:\bfrom|\bimport)\s*["'`](?:\.\/|\/assets\/)([^"'`]+\.js)["'`]/g);
const importedOnDemand = (text: string) =>
  // The build turns import() of its own files into importAgain(): see site/src/app/page-start/import-again.ts.
  names(text, /\bimport(?:Again)?\(\s*["'`](?:\.\/|\/assets\/)?([^"'`]+\.js)["'`]/g);
const names = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name!);

function read(file: string): string {
  const path = join(client, "assets", file);
  if (!existsSync(path)) throw new WrongAnswer(`The built site lacks ${file}.`);
  return readFileSync(path, "utf8");
}

const sizes = new Map<string, number>();
function compressed(text: string): number {
  const known = sizes.get(text);
  if (known !== undefined) return known;
  const { length } = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  sizes.set(text, length);
  return length;
}
