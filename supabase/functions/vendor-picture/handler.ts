// A URL to upload one picture of a vendor's application to. Visitors have no rights on the bucket, so this limits how much one
// network may leave there; pictures that no application names are removed after six hours (clean-up).
import { publicFunction } from "../_shared/handler.ts";
import { limitByAddress } from "../_shared/public-form.ts";
import { VENDOR_PICTURES } from "../_shared/abandoned-pictures.ts";

const MOST_IN_WINDOW = 20;
const MOST_IN_A_DAY = 60;
const DAY_SECONDS = 24 * 60 * 60;

export const handler = publicFunction(async (request, deps) => {
  await limitByAddress("vendor-picture", request, deps, { most: MOST_IN_WINDOW, what: "pictures" });
  await limitByAddress("vendor-pictures-of-a-day", request, deps, {
    most: MOST_IN_A_DAY,
    windowSeconds: DAY_SECONDS,
    what: "pictures",
  });
  const path = crypto.randomUUID();
  const { data, error } = await deps.supabase.storage.from(VENDOR_PICTURES).createSignedUploadUrl(path);
  if (error) throw new Error(`signing an address for a picture: ${error.message}`, { cause: error });
  return { path, token: data.token };
});
