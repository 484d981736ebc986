// Sentences people see are native US English: no word of the list below is in one. A sentence is text in JSX, or a string that begins with
// a capital and has a space; logs and errors for programmers begin small.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "oxc-parser";
import { expect, it } from "vitest";

/** Each with what we write instead. */
const avoided: readonly (readonly [RegExp, string])[] = [
  [/\b(some|any|every|no)body\b/i, "guests, buyers, staff, anyone"],
  [/\bwhoever\b(?! shows)/i, "the person who"],
  [/\bcancelled\b/i, "canceled, except the specified status"],
  [/\borganis(er|ed|ing|ation)/i, "organizer"],
  [/\bmails?\b/i, "email"],
  [/\bCentral time\b/, "Central Time"],
  [/\btick(ed)?\b/i, "check the box"],
  [/\bswitche?(d|s)? (it )?(on|off)\b/i, "turn on, turn off"],
];

function sentencesOf(file: string): string[] {
  const source = readFileSync(join(root, file), "utf8");
  if (file.endsWith(".sql")) {
    const code = source.replaceAll(/--.*$/gm, "");
    return [...code.matchAll(/'((?:[^'\n]|'')*)'/g)].flatMap(([, text]) =>
      isSentence(text!) ? [text!] : [],
    );
  }
  const found: string[] = [];
  const add = (text: string) => void (isSentence(text) && found.push(text));
  new Visitor({
    JSXText: ({ value }) => void (/[a-z]/i.test(value) && found.push(value.trim())),
    Literal: ({ value }) => void (typeof value === "string" && add(value)),
    TemplateLiteral: ({ quasis }) => add(quasis.map(({ value }) => value.cooked ?? "").join("…")),
  }).visit(parseSync(file, source).program);
  return found;
}

const isSentence = (text: string) => /^…?[A-Z]/.test(text) && text.includes(" ");

const root = fileURLToPath(new URL("..", import.meta.url));
const places = [
  "site/src/**/*.{ts,tsx}",
  "contract/src/**/*.ts",
  "supabase/functions/**/*.ts",
  "server/src/auth/mails/*.ts",
  "supabase/migrations/*.sql",
];
const filesOf = (place: string) =>
  globSync(place, { cwd: root }).filter((file) => !/\.test\.|node_modules|database\.ts/.test(file));

const said = places.map((place) => ({
  place,
  texts: filesOf(place).flatMap((file) => sentencesOf(file).map((text) => ({ file, text }))),
}));

it.each(said)("finds sentences in $place", ({ texts }) => {
  expect(texts).not.toEqual([]);
});

it("says nothing to people in words we avoid", () => {
  const wrong = said.flatMap(({ texts }) =>
    texts.flatMap(({ file, text }) =>
      avoided.flatMap(([pattern, instead]) => (pattern.test(text) ? [`${file}: ${text} (${instead})`] : [])),
    ),
  );
  expect(wrong).toEqual([]);
});
