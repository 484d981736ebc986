// Checks that an uploaded file is a picture: the bucket knows only the type that the uploader claimed.
import { VENDOR_PICTURES } from "../_shared/abandoned-pictures.ts";
import type { FunctionDeps } from "../_shared/deps.ts";
import { FunctionError } from "../_shared/errors.ts";

/** In bytes; enough for both types that the bucket accepts. */
const LONGEST_SIGNATURE = 12;

/** Throws FunctionError. Skips missing pictures: SQL refuses an application that names one. */
export async function requirePictures(deps: FunctionDeps, paths: readonly string[]): Promise<void> {
  const beginnings = await Promise.all(paths.map((path) => beginningOf(deps, path)));
  if (beginnings.every((one) => one === undefined || isPicture(one))) return;
  throw new FunctionError(
    "invalid_request",
    "One of the files is not a picture. Please attach WebP or JPEG pictures.",
  );
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

/** Takes the first bytes as one character each. */
const isPicture = (beginning: string): boolean => /^(\xff\xd8\xff|RIFF.{4}WEBP)/s.test(beginning);
