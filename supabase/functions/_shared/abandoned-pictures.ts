// Pictures that were uploaded and that nothing names: an application never sent, a logo never published.
import type { FunctionDeps } from "./deps.ts";
import { rpc } from "./rpc.ts";

/** Only administrators may read it. */
export const VENDOR_PICTURES = "vendor-pictures";

const abandoned = {
  [VENDOR_PICTURES]: "abandoned_vendor_pictures",
  "festival-pictures": "abandoned_festival_pictures",
} as const;

/** Removes those of six hours and more, and returns how many. */
export async function removeAbandonedPictures({ supabase }: FunctionDeps): Promise<number> {
  let removed = 0;
  for (const [bucket, namesOf] of Object.entries(abandoned)) {
    const names = await rpc<string[]>(supabase, namesOf, {});
    if (names.length === 0) continue;
    const { data, error } = await supabase.storage.from(bucket).remove(names);
    if (error)
      throw new Error(`removing abandoned pictures of ${bucket}: ${error.message}`, { cause: error });
    removed += data.length;
  }
  return removed;
}
