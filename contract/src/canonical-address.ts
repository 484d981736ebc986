/** The address to redirect to, or undefined on the right host. `alternates`: hosts separated by commas. */
export function canonicalAddress(here: URL, canonical: string, alternates: string): URL | undefined {
  if (!canonical || !URL.canParse(canonical)) return undefined;
  const target = new URL(canonical);
  const hosts = alternates.split(",").map((host) => host.trim().toLowerCase());
  const isAlternate = hosts.includes(here.host) || hosts.includes(here.hostname);
  if (!isAlternate || here.host === target.host || /^\/admin(\/|$)/.test(here.pathname)) return undefined;
  // Set part by part: if resolved as one string, a path that begins with two slashes would name another host.
  const { pathname, search, hash } = here;
  return Object.assign(new URL(target.origin), { pathname, search, hash });
}
