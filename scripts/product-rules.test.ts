// Code and documents cite the rules in docs/product by number. Each number must be unique and in order on its page, and each
// citation must name a rule.
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gateResults } from "contract/gate";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const pages = globSync("docs/product/*.md", { cwd: root }).map((file) => ({ file, text: read(file) }));
const numbersOf = (text: string) =>
  Array.from(text.matchAll(/^(\d+)\.(\d+) /gm), ([, part, rule]) => [Number(part), Number(rule)]);
const numbers = pages.flatMap(({ text }) => numbersOf(text));

it("numbers each rule once, in ascending order on its page", () => {
  const names = numbers.map((number) => number.join("."));
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  const wrong = pages.flatMap(({ text }) => {
    const places = numbersOf(text).map(([part, rule]) => part! * 1000 + rule!);
    return places.filter((place, at) => at > 0 && place <= places[at - 1]!);
  });
  expect(wrong).toEqual([]);
});

it("names every part and its page in docs/PRODUCT.md", () => {
  const index = read("docs/PRODUCT.md");
  const missing = pages.flatMap(({ file, text }) => {
    const line = index.split("\n").find((row) => row.includes(`](${file.replace("docs/", "")})`)) ?? "";
    return Array.from(text.matchAll(/^## (\d+)\. (.+)$/gm), ([, part, title]) => `${part} ${title}`).filter(
      (part) => !line.includes(part),
    );
  });
  expect(missing).toEqual([]);
});

it("has every rule that is cited", () => {
  const rules = new Set(numbers.map((number) => number.join(".")));
  const files = globSync(
    "{contract,docs,sandbox,scripts,server,shop,site,supabase,tests}/**/*.{ts,tsx,sql,css,md}",
    {
      cwd: root,
      exclude: (name) => name.includes("node_modules"),
    },
  );
  const cited = files.flatMap((file) =>
    Array.from(read(file).matchAll(/PRODUCT (\d+\.\d+(?:(?:, | and )\d+\.\d+)*)/g), ([, list]) =>
      list!.split(/, | and /).map((rule) => `${file}: ${rule}`),
    ).flat(),
  );
  const inside = pages.flatMap(({ file, text }) =>
    Array.from(text.matchAll(/\((?:price as in )?(\d+\.\d+)\)/g), ([, rule]) => `${file}: ${rule}`),
  );
  expect(cited.length).toBeGreaterThan(0);
  expect(inside.length).toBeGreaterThan(0);
  expect([...cited, ...inside].filter((line) => !rules.has(line.split(": ")[1]!))).toEqual([]);
});

it("names every answer of the gate in 13.2", () => {
  const rule = /^13\.2 .*(?:\n .*)*/m.exec(read("docs/product/gate.md"))![0];
  expect(gateResults.filter((result) => !rule.includes(result.replaceAll("_", " ")))).toEqual([]);
});
