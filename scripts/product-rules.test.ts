// Code and documents cite docs/PRODUCT.md by rule number. Each number must be unique and in order, and each
// citation must name a rule.
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gateResults } from "contract/gate";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const product = read("docs/PRODUCT.md");
const numbers = Array.from(product.matchAll(/^(\d+)\.(\d+) /gm), ([, part, rule]) => [
  Number(part),
  Number(rule),
]);

it("numbers each rule once, in ascending order", () => {
  const places = numbers.map(([part, rule]) => part! * 1000 + rule!);
  expect(places.length).toBeGreaterThan(0);
  const wrong = numbers.filter((_number, at) => at > 0 && places[at]! <= places[at - 1]!);
  expect(wrong.map((number) => number.join("."))).toEqual([]);
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
  const inside = Array.from(
    product.matchAll(/\((?:price as in )?(\d+\.\d+)\)/g),
    ([, rule]) => `docs/PRODUCT.md: ${rule}`,
  );
  expect(cited.length).toBeGreaterThan(0);
  expect([...cited, ...inside].filter((line) => !rules.has(line.split(": ")[1]!))).toEqual([]);
});

it("names every answer of the gate in 13.2", () => {
  const rule = /^13\.2 .*(?:\n .*)*/m.exec(product)![0];
  expect(gateResults.filter((result) => !rule.includes(result.replaceAll("_", " ")))).toEqual([]);
});
