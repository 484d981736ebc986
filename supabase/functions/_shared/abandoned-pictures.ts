// Uploaded pictures that nothing refers to: the application was never sent, or the logo never published.
import { concurrently } from "./concurrently.ts";
import type { FunctionDeps } from "./deps.ts";

/** Only administrators may read this bucket. */
export const VENDOR_PICTURES = "vendor-pictures";

const abandoned = {
  [VENDOR_PICTURES]: "abandoned_vendor_pictures",
  "festival-pictures": "abandoned_festival_pictures",
} as const;

/** Removes abandoned pictures that are at least six hours old, and returns how many. */
export async function removeAbandonedPictures({ sql, supabase }: FunctionDeps): Promise<number> {
  const counts = await concurrently(Object.entries(abandoned), 1, async ([bucket, namesOf]) => {
    const names = await sql(namesOf, {});
    if (names.length === 0) return 0;
    const { data, error } = await supabase.storage.from(bucket).remove(names);
    if (error)
      throw new Error(`removing abandoned pictures of ${bucket}: ${error.message}`, { cause: error });
    return data.length;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}
