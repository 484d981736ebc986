// Stores a vendor's application for the organizers to decide on, and thanks the sender.
import { type VendorApplication, vendorApplicationSchema } from "contract/schemas";
import { FunctionError } from "../_shared/errors.ts";
import { publicFunction, readBody } from "../_shared/handler.ts";
import { isTrapped, limitByAddress } from "../_shared/public-form.ts";
import { requirePictures } from "./pictures.ts";

/** SQL's error for a missing picture; the schema has already caught everything else. */
const CHECK_VIOLATION = "23514";

export const handler = publicFunction(async (request, deps) => {
  const form = await readBody(request, vendorApplicationSchema);
  await limitByAddress("vendor-application", request, deps);
  if (isTrapped(form)) return { success: true };
  const row = rowOf(form);
  await requirePictures(deps, row.pictures);
  const { error } = await deps.supabase.from("vendor_applications").insert(row);
  if (error?.code === CHECK_VIOLATION) throw new FunctionError("invalid_request", error.message);
  if (error) throw new Error(`storing a vendor application: ${error.message}`, { cause: error });
  deps.outboxFilled();
  return { success: true };
});

/** The back office shows one text; its parts also have their own columns. */
function rowOf(form: VendorApplication) {
  return {
    booth_name: form.businessName,
    contact_name: form.contactName,
    contact_email: form.email,
    contact_phone: form.phone,
    vendor_type: form.vendorType,
    description: form.description,
    products: form.products,
    pictures: form.pictures?.map(({ path }) => path) ?? [],
    description_of_goods: `Type: ${form.vendorType}\n\n${form.description}\n\nProducts: ${form.products}`,
  };
}
