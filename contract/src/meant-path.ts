// What a printed or mailed address meant: alphanumeric QR codes are upper case, mail programs append punctuation, and people join
// addresses with one slash too many.

/** Found as one: a pattern for what follows the last letter would be tried at each character, 1.2 s for 15,000 slashes. */
const FIRST_TO_LAST = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su;

/** The path in lower case, with single slashes and without what follows the last letter or figure. `path` is decoded. */
export function meantPath(path: string): string {
  return `/${FIRST_TO_LAST.exec(path.toLowerCase())?.[0] ?? ""}`.replaceAll(/\/{2,}/g, "/");
}
