// Creates an account for one phone at the gate, with the role its invitation gives until the day ends. Unknown, ended and
// revoked invitations get the same refusal.
import { type RedeemedGateInvitation, redeemGateInvitationSchema } from "contract/gate";
import type { FunctionDeps } from "../_shared/deps.ts";
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
  const { data, error } = await admin.createUser({
    email,
    email_confirm: true,
    app_metadata: { gate_invitation: invitation.id },
  });
  if (error) throw new Error(`creating a device account: ${error.message}`, { cause: error });
  const joined = await rpc<boolean>(deps.supabase, "join_gate_invitation", {
    p_invitation_id: invitation.id,
    p_user_id: data.user.id,
  });
  // No password: a token works once, and asks nobody at the gate for a captcha.
  if (joined) return { token_hash: await signInToken(deps, email), entrance_id: invitation.entrance_id };
  await admin.deleteUser(data.user.id);
  throw over();
});

const over = () =>
  new FunctionError("not_found", "This invitation does not work any more. Ask for a new one.");

async function signInToken({ supabase }: FunctionDeps, email: string): Promise<string> {
  const { data, error } = await supabase.auth.admin.generateLink({ type: "magiclink", email });
  if (error) throw new Error(`signing a device in: ${error.message}`, { cause: error });
  return data.properties.hashed_token;
}
