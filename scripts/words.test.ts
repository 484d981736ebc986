// Sentences people see are native US English: no word of the list below is in one. A sentence is text in JSX, or a string that begins with
// a capital and has a space; logs and errors for programmers begin small.
import { globSync, readFileSync } from "node:fs";
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
  const source = readFileSync(file, "utf8");
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

const files = globSync([
  "site/src/**/*.{ts,tsx}",
  "contract/src/**/*.ts",
  "supabase/functions/**/*.ts",
  "server/src/auth/mails/*.ts",
  "supabase/migrations/*.sql",
]).filter((file) => !/\.test\.|node_modules|database\.ts/.test(file));

it("says nothing to people in words we avoid", () => {
  const wrong = files.flatMap((file) =>
    sentencesOf(file).flatMap((text) =>
      avoided.flatMap(([pattern, instead]) => (pattern.test(text) ? [`${file}: ${text} (${instead})`] : [])),
    ),
  );
  expect(wrong).toEqual([]);
});
