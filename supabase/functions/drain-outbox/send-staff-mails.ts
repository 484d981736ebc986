// Creates the link of a staff invitation only when its mail is sent, so that the outbox stores no link.
import type { FunctionDeps } from "../_shared/deps.ts";
import { readFestival } from "../_shared/festival.ts";
import { type StaffInvitation, staffInvitationMail } from "../_shared/mail/staff-mails.ts";
import { rowsOf } from "../_shared/database.ts";

export async function sendStaffInvitation(
  deps: FunctionDeps,
  { invitation_id }: { invitation_id: string },
): Promise<void> {
  const invitations = deps.supabase
    .from("staff_invitations")
    .select("email, role, expires_at")
    .eq("id", invitation_id)
    .is("accepted_at", null)
    .is("revoked_at", null);
  const [invitation] = await rowsOf<StaffInvitation[]>("staff invitation", invitations);
  if (!invitation) return; // revoked meanwhile
  // Our own mail: the auth service's would sign in whoever opens it in any browser, which the site refuses.
  const { email } = invitation;
  const { data, error } = await deps.supabase.auth.admin.generateLink({ type: "invite", email });
  if (error?.code === "email_exists") return; // the address was confirmed meanwhile, so the link is useless
  if (error) throw new Error(`inviting staff: ${error.message}`, { cause: error });
  // After the #, so that it appears in no server's log.
  const link = `${deps.siteUrl}/auth?mode=reset#type=invite&token_hash=${data.properties.hashed_token}`;
  const { siteUrl, mailedLinkMinutes: minutes } = deps;
  await deps.sendMail(
    await staffInvitationMail(await readFestival(deps), invitation, { link, minutes }, siteUrl),
  );
}
