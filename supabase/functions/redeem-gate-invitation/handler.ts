// Creates an account for one phone at the gate, with the role its invitation gives until the day ends. Unknown, ended and
// revoked invitations get the same refusal.
import { type RedeemedGateInvitation, redeemGateInvitationSchema } from "contract/gate";
import { FunctionError } from "../_shared/errors.ts";
import { publicFunction, readBody } from "../_shared/handler.ts";
import { limitByAddress } from "../_shared/public-form.ts";
import { rpc } from "../_shared/rpc.ts";

/** In ten minutes: the phones of a crew may share one network. */
const MOST_PHONES = 60;

interface Invitation {
  readonly id: string;
  readonly entrance_id: string | null;
  readonly is_full: boolean;
}

export const handler = publicFunction(async (request, deps): Promise<RedeemedGateInvitation> => {
  const { token } = await readBody(request, redeemGateInvitationSchema);
  await limitByAddress("gate-invitation", request, deps, MOST_PHONES);
  const invitation = await rpc<Invitation | null>(deps.supabase, "find_gate_invitation", { p_token: token });
  if (!invitation) throw over();
  if (invitation.is_full)
    throw new FunctionError("not_found", "This invitation is for no more phones. Ask for a new one.");
  const { admin } = deps.supabase.auth;
  const email = `gate-${crypto.randomUUID()}@gate.invalid`;
  const password = newPassword();
  const { data, error } = await admin.createUser({
    email,
    password,
    email_confirm: true,
    app_metadata: { gate_invitation: invitation.id },
  });
  if (error) throw new Error(`creating a device account: ${error.message}`, { cause: error });
  const joined = await rpc<boolean>(deps.supabase, "join_gate_invitation", {
    p_invitation_id: invitation.id,
    p_user_id: data.user.id,
  });
  if (joined) return { email, password, entrance_id: invitation.entrance_id };
  await admin.deleteUser(data.user.id);
  throw over();
});

const over = () =>
  new FunctionError("not_found", "This invitation does not work any more. Ask for a new one.");

/** 192 bits; nobody ever types it. */
function newPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
