// Mails the link of an open staff invitation, once or again. The invitation itself, and the role it gives, are SQL's.
import { inviteStaffSchema } from "contract/schemas";
import { FunctionError } from "../_shared/errors.ts";
import { readBody, userFunction } from "../_shared/handler.ts";
import { rpc } from "../_shared/rpc.ts";
import { officeRole } from "../_shared/staff.ts";

export const handler = userFunction(async (request, deps, caller) => {
  const { invitation_id } = await readBody(request, inviteStaffSchema);
  if ((await officeRole(deps, caller)) !== "admin") {
    throw new FunctionError("forbidden", "Only administrators may do this.");
  }
  const email = await rpc<string | null>(deps.supabase, "staff_invitation_to_send", { p_id: invitation_id });
  if (email === null) throw new FunctionError("not_found", "This invitation is not open any more.");
  const { error } = await deps.supabase.auth.admin.inviteUserByEmail(email, {
    redirectTo: `${deps.siteUrl}/auth/new-password`,
  });
  if (error?.code === "email_exists") {
    throw new FunctionError(
      "not_found",
      "There is an account with this address by now. Give it the role in the list.",
    );
  }
  if (error) throw new Error(`inviting staff: ${error.message}`, { cause: error });
  return { sent: true };
});
