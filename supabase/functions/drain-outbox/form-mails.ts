// Collects the content of the mails about the public forms, and of the alert to the organisers.
import type { FunctionDeps } from "../_shared/deps.ts";
import { readFestival } from "../_shared/festival.ts";
import {
  adminAlertMail,
  type Application,
  sponsorThanksMail,
  vendorDecisionMail,
  vendorThanksMail,
} from "../_shared/mail/letters.ts";
import { rowsOf } from "../_shared/rpc.ts";

interface Inquiry {
  readonly email: string;
}

export async function sendVendorThanks(deps: FunctionDeps, work: { application_id: string }): Promise<void> {
  const { contact_email } = await readApplication(deps, work.application_id);
  await deps.sendMail(await vendorThanksMail(await readFestival(deps), contact_email));
}

/** Sends the decision that is in force when the mail goes out; one that was withdrawn by then is not sent. */
export async function sendVendorDecision(
  deps: FunctionDeps,
  work: { application_id: string },
): Promise<void> {
  const application = await readApplication(deps, work.application_id);
  const mail = await vendorDecisionMail(await readFestival(deps), application);
  if (mail) await deps.sendMail(mail);
}

export async function sendSponsorThanks(deps: FunctionDeps, work: { inquiry_id: string }): Promise<void> {
  const query = deps.supabase.from("sponsor_inquiries").select("email");
  const inquiry = await rowsOf("sponsor inquiry", query.eq("id", work.inquiry_id).single<Inquiry>());
  await deps.sendMail(await sponsorThanksMail(await readFestival(deps), inquiry.email));
}

export async function sendAdminAlert(
  deps: FunctionDeps,
  work: { order_id: string | null; payment_intent_id: string; reason: string },
): Promise<void> {
  const alert = { orderId: work.order_id, paymentIntentId: work.payment_intent_id, reason: work.reason };
  const festival = await readFestival(deps);
  await deps.sendMail(
    await adminAlertMail(festival, deps.alertsTo ?? festival.contact.email, alert, deps.siteUrl),
  );
}

function readApplication(deps: FunctionDeps, id: string): Promise<Application> {
  const query = deps.supabase
    .from("vendor_applications")
    .select("booth_name, contact_name, contact_email, status, submission_date");
  return rowsOf("vendor application", query.eq("id", id).single<Application>());
}
