// Which addresses a pattern of GOTRUE_URI_ALLOW_LIST allows: the examples of GoTrue's own glob library, and an app's scheme.
import { expect, it } from "vitest";
import { allowedRedirect, withCode } from "./redirects.ts";

const SITE = "https://festival.example";

it.each([
  ["https://*.example.com/*", "https://a.example.com/in", true],
  ["https://*.example.com/*", "https://a.b.example.com/in", false],
  ["https://*.example.com/*", "https://a.example.com/in/deep", false],
  ["https://*.example.com/**", "https://a.example.com/in/deep?x=1", true],
  ["https://example.com", "https://example.com/", true],
  ["https://preview-???.example.com/**", "https://preview-abc.example.com/", true],
  ["https://preview-???.example.com/**", "https://preview-a.c.example.com/", false],
  ["https://preview-[0-9].example.com/", "https://preview-7.example.com/", true],
  ["https://preview-[0-9].example.com/", "https://preview-x.example.com/", false],
  ["https://preview-[!0-9].example.com/", "https://preview-x.example.com/", true],
  ["https://preview-[!0-9].example.com/", "https://preview-7.example.com/", false],
  ["https://example.com/a\\*b", "https://example.com/a*b", true],
  ["https://example.com/a\\*b", "https://example.com/axb", false],
  ["https://example.com/in", "https://example.com/in#later", true],
  ["festival://*", "festival://signed-in", true],
  ["festival://*", "FESTIVAL://signed-in", true],
  ["festival://*", "festival://signed-in/now", false],
  ["com.example.app://signed-in", "com.example.app://signed-in", true],
  ["com.example.app:/signed-in", "com.example.app:/signed-in", true],
  ["festival://**", "other://festival://in", false],
  ["festival://**", "festival://somebody@host/", false],
])("matches the pattern %s against %s: %s", (pattern, wanted, isAllowed) => {
  const target = allowedRedirect(wanted, SITE, [pattern]);
  expect(target === SITE).toBe(!isAllowed);
});

it.each([
  ["festival://", "festival://?code=abc"],
  ["festival:", "festival:?code=abc"],
  ["festival:///in", "festival:///in?code=abc"],
  ["festival://host:1234/in?x=1", "festival://host:1234/in?x=1&code=abc"],
])("adds a code to %s", (address, wanted) => {
  expect(withCode(address, "abc")).toBe(wanted);
});

it("compares no address of more than 2,000 characters, on which three wildcards take minutes", () => {
  const allowed = (path: string) =>
    allowedRedirect(`https://a.example.com/${path}`, SITE, ["https://a.example.com/**"]);
  expect(allowed("a".repeat(1_900))).not.toBe(SITE);
  expect(allowed("a".repeat(2_000))).toBe(SITE);
});
