// Where a mailed link may lead. Anything not on the allow list becomes the site's own address, as in GoTrue, so that a
// stranger cannot have tokens sent to a site of theirs.

/**
 * `wanted` if it is on the site's origin or matches an allowed pattern, otherwise `siteUrl`. In a pattern `*` stands for
 * anything but `.` and `/`, `**` for anything at all.
 */
export function allowedRedirect(wanted: string | null, siteUrl: string, patterns: readonly string[]): string {
  if (!wanted || !URL.canParse(wanted)) return siteUrl;
  const url = new URL(wanted);
  if (url.protocol !== "http:" && url.protocol !== "https:") return siteUrl;
  // `http://site@evil.example/` and backslash tricks show in the parsed origin; credentials are never needed here.
  if (url.username !== "" || url.password !== "") return siteUrl;
  if (url.origin === new URL(siteUrl).origin) return url.href;
  return patterns.some((pattern) => toExpression(pattern).test(url.href)) ? url.href : siteUrl;
}

function toExpression(pattern: string): RegExp {
  const source = pattern
    .split(/(\*\*|\*)/)
    .map((part) => (part === "**" ? ".*" : part === "*" ? "[^./]*" : RegExp.escape(part)))
    .join("");
  // A bare origin covers its root as URL writes it, with the slash.
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
