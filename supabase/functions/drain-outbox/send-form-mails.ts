// Collects the content of the mails about the public forms, and of the alert to the organizers.
import type { FunctionDeps } from "../_shared/deps.ts";
import { readFestival } from "../_shared/festival.ts";
import {
  adminAlertMail,
  type Application,
  type Decision,
  type ThankedForm,
  thanksMail,
  vendorDecisionMail,
} from "../_shared/mail/letters.ts";
import { rowsOf } from "../_shared/database.ts";

export async function sendThanks(
  deps: FunctionDeps,
  { form, email }: { form: ThankedForm; email: string },
): Promise<void> {
  await deps.sendMail(await thanksMail(await readFestival(deps), form, email));
}

/** Sends no decision that was changed by the time its mail goes out. */
export async function sendVendorDecision(
  deps: FunctionDeps,
  { application_id, status }: { application_id: string; status: Decision },
): Promise<void> {
  const decision = { p_application_id: application_id, p_status: status };
  if (await deps.sql("withdraw_decision_mail", decision)) return;
  const application = await readApplication(deps, application_id);
  await deps.sendMail(await vendorDecisionMail(await readFestival(deps), application, status));
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
    .select("booth_name, contact_name, contact_email, submission_date");
  return rowsOf("vendor application", query.eq("id", id).single<Application>());
}
