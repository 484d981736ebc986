// Where a visitor was going when they had to sign in. Kept in the history entry of /auth, and in storage for those who are
// mailed a link, because it opens a new tab.
import { readJson, writeJson } from "#lib/browser/stored-json.ts";

const KEY = "houston-culture-festival:return-path";

/**
 * Somebody else, who may be the next to sign in after a logout or has taken the place of the user, gets no payment with its secret.
 * A buyer whose session lapsed at the bank comes back to it.
 */
export function pathBackTo(
  { pathname, search }: { pathname: string; search: string },
  { userLeft }: { userLeft: boolean },
): string {
  return userLeft && new URLSearchParams(search).has("payment_intent") ? pathname : pathname + search;
}

/** The path in a location's state, if it is on this site. */
export function returnPath(state: unknown): string | undefined {
  const from = typeof state === "object" && state !== null && "from" in state ? state.from : undefined;
  return isOwnPath(from) ? from : undefined;
}

export function rememberReturnPath(path: string | undefined): void {
  writeJson("local", KEY, path);
}

/** Reads it once. */
export function takeReturnPath(): string | undefined {
  try {
    const path = readJson("local", KEY);
    writeJson("local", KEY, undefined);
    return isOwnPath(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** "//elsewhere" and "/\elsewhere" would leave the site. */
function isOwnPath(path: unknown): path is string {
  return typeof path === "string" && /^\/(?![/\\])/.test(path);
}
