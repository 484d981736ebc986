// Which bucket names, object names, sizes and MIME types are acceptable: storage-api's rules.
import { invalidBucketName, invalidKey, invalidMimeType, invalidParameter } from "./errors.ts";

const SAFE_KEY = /^(?:\w|[/!\-.*'() &$@=;:+,?])+$/;
const MAX_KEY = 1024; // bytes, as in S3, where objects may move to

/** No address leads to such a name: clients resolve dot segments before they send it. */
const isDotSegment = (segment: string) => segment === "." || segment === "..";

/** The name an object may be written under; throws InvalidKey. Reading needs no check: an odd name finds no row. */
export function requireKey(key: string): string {
  if (!SAFE_KEY.test(key) || key.length > MAX_KEY || key.split("/").some(isDotSegment)) throw invalidKey(key);
  return key;
}

/** Throws InvalidBucketName. */
export function requireBucketName(name: string): string {
  if (!SAFE_KEY.test(name) || name.includes("/") || name.length > 100 || name.trim() !== name) {
    throw invalidBucketName();
  }
  return name;
}

const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 };

/** A number of bytes, or text such as "20MB". Throws InvalidParameter. */
export function parseSize(size: number | string): number {
  if (typeof size === "number") return size;
  const match = /^(\d+(?:\.\d+)?)(gb|mb|kb|b)?$/i.exec(size);
  if (!match) throw invalidParameter("Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B");
  return Math.floor(Number(match[1]) * UNITS[(match[2] ?? "b").toLowerCase()]!);
}

/**
 * Whether a client's text fits into a header that every reader receives; a form can contain text that no header
 * can.
 */
export const isHeaderText = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text);

/** `allowed` may hold `image/*`; null and empty allow everything. Throws InvalidMimeType. */
export function requireMimeType(type: string, allowed: readonly string[] | null): void {
  if (!isHeaderText(type)) throw invalidMimeType(type);
  if (!allowed || allowed.length === 0) return;
  const essence = type.split(";")[0]!.trim().toLowerCase();
  const [family] = essence.split("/");
  const matches = allowed.some((pattern) => {
    const wanted = pattern.toLowerCase();
    return wanted === essence || wanted === "*/*" || wanted === `${family}/*`;
  });
  if (!matches) throw invalidMimeType(type);
}
