// Creates an account for one device at the gate, with the invitation's role until the day ends, or signs the device in to the account
// it already has. Unknown, ended and revoked invitations get the same refusal.
import { type RedeemedGateInvitation, redeemGateInvitationSchema } from "contract/gate";
import type { FunctionDeps } from "../_shared/deps.ts";
import { FunctionError } from "../_shared/errors.ts";
import { publicFunction, readBody } from "../_shared/handler.ts";
import { limitByAddress } from "../_shared/public-form.ts";

/** Per ten minutes: the devices of a crew may share one network. */
const MOST_PHONES = 60;

export const handler = publicFunction(async (request, deps): Promise<RedeemedGateInvitation> => {
  const { token, phone } = await readBody(request, redeemGateInvitationSchema);
  await limitByAddress("gate-invitation", request, deps, { most: MOST_PHONES, what: "phones" });
  const email = await deviceEmail(deps, token, phone);
  const invitation = await deps.sql("find_gate_invitation", {
    p_token: token,
    p_email: email,
  });
  if (!invitation) throw over();
  if (!invitation.has_joined) {
    if (invitation.is_full)
      throw new FunctionError("not_found", "This invitation has no phones left. Ask for a new one.");
    await join(deps, invitation.id, email);
  }
  // No password: a token works once, and nobody at the gate has to solve a captcha.
  return { token_hash: await signInToken(deps, email), entrance_id: invitation.entrance_id };
});

/** The same device always gets the same address, so that it finds its account after a lost response. Nobody else can guess it. */
async function deviceEmail({ sha256 }: FunctionDeps, token: string, phone: string): Promise<string> {
  return `gate-${(await sha256(`${token} ${phone}`)).slice(0, 32)}@gate.invalid`;
}

async function join({ sql, supabase }: FunctionDeps, invitationId: string, email: string): Promise<void> {
  const { admin } = supabase.auth;
  const { data, error } = await admin.createUser({
    email,
    email_confirm: true,
    app_metadata: { gate_invitation: invitationId, unchangeable: true },
  });
  // Created by another request that stopped before it gave the role, or is about to give it.
  if (error && error.code !== "email_exists")
    throw new Error(`creating a device account: ${error.message}`, { cause: error });
  const joined = await sql("join_gate_invitation", {
    p_invitation_id: invitationId,
    p_email: email,
  });
  if (joined) return;
  if (data.user) await admin.deleteUser(data.user.id);
  throw over();
}

const over = () => new FunctionError("not_found", "This invitation no longer works. Ask for a new one.");

async function signInToken({ supabase }: FunctionDeps, email: string): Promise<string> {
  const { data, error } = await supabase.auth.admin.generateLink({ type: "magiclink", email });
  if (error) throw new Error(`signing a device in: ${error.message}`, { cause: error });
  return data.properties.hashed_token;
}
