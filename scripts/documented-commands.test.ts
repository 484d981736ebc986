import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

/** `npm run` commands that the documents and the scripts' own opening comments promise, with the file that does. */
const promised = globSync(["README.md", "docs/**/*.md", "{scripts,tests}/**/*.{ts,mjs}"], {
  cwd: root,
}).flatMap((file) =>
  [...readFileSync(join(root, file), "utf8").matchAll(/`npm run ([a-z:-]+)/g)].map(([, command]) => [
    command!,
    file,
  ]),
);

it.each(promised)("npm run %s, promised by %s, is a command", (command) => {
  expect(Object.keys(scripts)).toContain(command);
});

it("every command's file is there", () => {
  const files = Object.values(scripts).flatMap((script) => /^node (\S+)/.exec(script)?.[1] ?? []);
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => globSync(file, { cwd: root }).length === 0)).toEqual([]);
});
