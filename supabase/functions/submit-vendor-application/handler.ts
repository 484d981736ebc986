// Stores a vendor's application for the organisers to decide on, and thanks the sender.
import { type VendorApplication, vendorApplicationSchema } from "contract/schemas";
import { publicFunction, readBody } from "../_shared/handler.ts";
import { isTrapped, limitByAddress } from "../_shared/public-form.ts";
import { rowsOf } from "../_shared/rpc.ts";

export const handler = publicFunction(async (request, deps) => {
  const form = await readBody(request, vendorApplicationSchema);
  await limitByAddress("vendor-application", request, deps);
  if (isTrapped(form)) return { success: true };
  await rowsOf("vendor application", deps.supabase.from("vendor_applications").insert(rowOf(form)));
  deps.outboxFilled();
  return { success: true };
});

/** The back office shows one text; its parts are kept in columns of their own as well. */
function rowOf(form: VendorApplication) {
  return {
    booth_name: form.businessName,
    contact_name: form.contactName,
    contact_email: form.email,
    contact_phone: form.phone,
    vendor_type: form.vendorType,
    description: form.description,
    products: form.products,
    description_of_goods: `Type: ${form.vendorType}\n\n${form.description}\n\nProducts: ${form.products}`,
  };
}
