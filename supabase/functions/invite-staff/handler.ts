// Queues the mail with the link of an open staff invitation, once or again. SQL owns the invitation itself and the role it gives.
import { inviteStaffSchema } from "contract/schemas";
import { FunctionError } from "../_shared/errors.ts";
import { readBody, userFunction } from "../_shared/handler.ts";
import { officeRole } from "../_shared/staff.ts";

const refusals = {
  not_open: "This invitation is no longer open.",
  has_account: "An account with this address already exists. Change its role in the list.",
} as const;

export const handler = userFunction(async (request, deps, caller) => {
  const { invitation_id } = await readBody(request, inviteStaffSchema);
  if ((await officeRole(deps, caller)) !== "admin") {
    throw new FunctionError("forbidden", "Only administrators may do this.");
  }
  const outcome = await deps.sql("send_staff_invitation", { p_id: invitation_id });
  if (outcome === "sent_before") return { sent: false };
  if (outcome !== "sent") throw new FunctionError("not_found", refusals[outcome]);
  deps.outboxFilled();
  return { sent: true };
});
