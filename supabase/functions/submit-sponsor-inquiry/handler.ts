// Stores a sponsor's inquiry for the organizers, and thanks the sender.
import { sponsorInquirySchema } from "contract/schemas";
import { publicFunction, readBody } from "../_shared/handler.ts";
import { isTrapped, limitByAddress } from "../_shared/public-form.ts";
import { rowsOf } from "../_shared/database.ts";

export const handler = publicFunction(async (request, deps) => {
  const form = await readBody(request, sponsorInquirySchema);
  await limitByAddress("sponsor-inquiry", request, deps);
  if (isTrapped(form)) return { success: true };
  const row = {
    company_name: form.companyName,
    contact_name: form.contactName,
    email: form.email,
    phone: form.phone,
    sponsorship_level: form.sponsorshipLevel || null,
    message: form.message || null,
  };
  await rowsOf("sponsor inquiry", deps.supabase.from("sponsor_inquiries").insert(row));
  deps.outboxFilled();
  return { success: true };
});
