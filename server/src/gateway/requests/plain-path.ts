// One spelling for every path. Routers decode what the gateway's rules compare as text, so without it `/%6cist` would be one
// path for a rule and another for the service behind it.

/** Letters, digits, hyphen, period, underscore and tilde, encoded. */
const UNRESERVED = /%(?:2[DE]|3\d|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])/gi;

/**
 * Decodes what means the same when encoded (RFC 3986, section 6.2.2.2), in the path only. Reserved characters such as %2F stay as
 * they are.
 */
export function withPlainPath(url: string): string {
  if (!url.includes("%")) return url;
  const [path] = url.split(/[?#]/, 1) as [string];
  return path.replace(UNRESERVED, decodeURIComponent) + url.slice(path.length);
}
