// The pictures that vendors attach to their applications.
import type { FunctionDeps } from "./deps.ts";
import { rpc } from "./rpc.ts";

/** The bucket, which only administrators may read. */
export const VENDOR_PICTURES = "vendor-pictures";

/** Removes pictures that no application has named within six hours, and returns how many. */
export async function removeAbandonedPictures({ supabase }: FunctionDeps): Promise<number> {
  const names = await rpc<string[]>(supabase, "abandoned_vendor_pictures", {});
  if (names.length === 0) return 0;
  const { data, error } = await supabase.storage.from(VENDOR_PICTURES).remove(names);
  if (error) throw new Error(`removing abandoned pictures: ${error.message}`, { cause: error });
  return data.length;
}
