// Where a mailed link may lead. Anything not on the allow list becomes the site's own address, as in GoTrue, so that a
// stranger cannot have tokens sent to their own site.

/** Schemes that a browser runs or reads from its own machine: no pattern allows them. */
const NEVER: ReadonlySet<string> = new Set(["javascript:", "data:", "vbscript:", "blob:", "file:"]);

/** A pattern with three wildcards in one segment took 289 s for 15,000 characters, and takes 0.7 s for these. */
const LONGEST = 2_000;

/**
 * `wanted` if it is on the site's origin or matches an allowed pattern, otherwise `siteUrl`. An app's own scheme counts as an
 * address too.
 */
export function allowedRedirect(wanted: string | null, siteUrl: string, patterns: readonly string[]): string {
  if (!wanted || wanted.length > LONGEST || !URL.canParse(wanted)) return siteUrl;
  const url = new URL(wanted);
  if (NEVER.has(url.protocol)) return siteUrl;
  // `http://site@evil.example/` and backslash tricks show in the parsed origin; credentials are never needed here.
  if (url.username !== "" || url.password !== "") return siteUrl;
  if (url.origin === new URL(siteUrl).origin) return url.href;
  const [withoutFragment] = url.href.split("#") as [string];
  return patterns.some((pattern) => toExpression(pattern).test(withoutFragment)) ? url.href : siteUrl;
}

/**
 * GoTrue's patterns: `**` stands for anything, `*` for anything but `.` and `/`, `?` for one character other than these,
 * `[a-z]` for one of a set, `[!a-z]` for any other, and a backslash escapes the next character.
 * @throws SyntaxError when the pattern is invalid.
 */
export function toExpression(pattern: string): RegExp {
  const source = pattern.replaceAll(
    /\*\*|[*?]|\[(!?)((?:\\.|[^\]\\])+)\]|\\(.)|[^]/g,
    (part, not: string | undefined, set: string | undefined, taken: string | undefined) => {
      if (part === "**") return ".*";
      if (part === "*") return "[^./]*";
      if (part === "?") return "[^./]";
      if (set !== undefined) return `[${not === "!" ? "^" : ""}${set.replaceAll(/\^|\[/g, "\\$&")}]`;
      if (part === "[" || part === "\\") throw new SyntaxError(`${part} begins what does not end`);
      return RegExp.escape(taken ?? part);
    },
  );
  // A bare origin also covers its root, which URL writes with a slash.
  return new RegExp(`^${source}/?$`);
}

/** `address` with the values in its fragment, where servers and their logs do not see them. */
export function withFragment(address: string, values: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  url.hash = new URLSearchParams(values).toString();
  return url.href;
}

/** `address` with the code that its page exchanges for a session. */
export function withCode(address: string, code: string): string {
  const url = new URL(address);
  url.searchParams.set("code", code);
  return url.href;
}
