// Mails the link of an open staff invitation, once or again. SQL owns the invitation itself and the role it gives.
import { inviteStaffSchema } from "contract/schemas";
import { FunctionError } from "../_shared/errors.ts";
import { readFestival } from "../_shared/festival.ts";
import { readBody, userFunction } from "../_shared/handler.ts";
import { type StaffInvitation, staffInvitationMail } from "../_shared/mail/staff-mails.ts";
import { rpc } from "../_shared/rpc.ts";
import { officeRole } from "../_shared/staff.ts";

export const handler = userFunction(async (request, deps, caller) => {
  const { invitation_id } = await readBody(request, inviteStaffSchema);
  if ((await officeRole(deps, caller)) !== "admin") {
    throw new FunctionError("forbidden", "Only administrators may do this.");
  }
  const [invitation] = await rpc<StaffInvitation[]>(deps.supabase, "staff_invitation_to_send", {
    p_id: invitation_id,
  });
  if (!invitation) throw new FunctionError("not_found", "This invitation is not open any more.");
  // Our own mail: the auth service's would sign in whoever opens it in any browser, which the site refuses.
  const { email } = invitation;
  const { data, error } = await deps.supabase.auth.admin.generateLink({ type: "invite", email });
  if (error?.code === "email_exists") {
    throw new FunctionError(
      "not_found",
      "There is an account with this address by now. Give it the role in the list.",
    );
  }
  if (error) throw new Error(`inviting staff: ${error.message}`, { cause: error });
  // After the #, so that it appears in no server's log.
  const link = `${deps.siteUrl}/auth?mode=reset#type=invite&token_hash=${data.properties.hashed_token}`;
  const mail = await staffInvitationMail(await readFestival(deps), invitation, link, deps.siteUrl);
  await deps.sendMail(mail).catch((cause: unknown) => {
    const message = "The invitation is open, but its mail could not be sent. Please send it again.";
    throw new FunctionError("internal_error", message, { cause });
  });
  return { sent: true };
});
