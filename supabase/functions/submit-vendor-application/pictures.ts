// Whether what a stranger uploaded is a picture: the bucket knows no more than what was claimed.
import { VENDOR_PICTURES } from "../_shared/abandoned-pictures.ts";
import type { FunctionDeps } from "../_shared/deps.ts";
import { FunctionError } from "../_shared/errors.ts";

/** In bytes; enough for both kinds that the bucket takes. */
const LONGEST_SIGNATURE = 12;

/** Throws FunctionError. One that has not arrived passes: SQL says so when the application names it. */
export async function requirePictures(deps: FunctionDeps, paths: readonly string[]): Promise<void> {
  const beginnings = await Promise.all(paths.map((path) => beginningOf(deps, path)));
  if (beginnings.every((one) => one === undefined || isPicture(one))) return;
  throw new FunctionError("invalid_request", "A file is no picture. Please attach WebP or JPEG pictures.");
}

async function beginningOf({ supabase }: FunctionDeps, path: string): Promise<string | undefined> {
  const { data } = await supabase.storage.from(VENDOR_PICTURES).download(path).asStream();
  if (!data) return undefined;
  const reader = data.getReader();
  const bytes: number[] = [];
  while (bytes.length < LONGEST_SIGNATURE) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes.push(...value.subarray(0, LONGEST_SIGNATURE));
  }
  await reader.cancel();
  return String.fromCharCode(...bytes.slice(0, LONGEST_SIGNATURE));
}

/** By the first bytes, a character each. */
const isPicture = (beginning: string): boolean => /^(\xff\xd8\xff|RIFF.{4}WEBP)/s.test(beginning);
