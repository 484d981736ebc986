// What a printed or mailed address meant: alphanumeric QR codes are upper case, mail programs append punctuation, and people join
// addresses with one slash too many.

/** The path in lower case, with single slashes and without what follows the last letter or figure. `path` is decoded. */
export function meantPath(path: string): string {
  return `/${path.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "")}`.replaceAll(/\/{2,}/g, "/");
}
