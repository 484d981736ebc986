// Signing in with a passkey: nobody types a name; the device names the owner and proves it.
import { refuse } from "../errors.ts";
import { audit } from "../audit.ts";
import { findUserById, type UserRow } from "../account/queries.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { isBanned, issueSession, type SignedIn } from "../sessions/sessions.ts";
import { checkRequest, relyingParty, requestOptions } from "../webauthn/relying-party.ts";
import { answeredChallenge, beginCeremony, type PasskeyAnswer } from "./ceremonies.ts";
import { credentialOf, lockPasskeyOfCredential, notePasskeyUse } from "./queries.ts";

export async function passkeyAuthenticationOptions(parts: AuthParts) {
  const options = await requestOptions(relyingParty(parts), undefined, "required");
  return beginCeremony(parts, { type: "authentication", userId: null }, options);
}

export async function signInWithPasskey(
  parts: AuthParts,
  caller: AuthCaller,
  given: PasskeyAnswer,
): Promise<SignedIn> {
  const ceremony = { type: "authentication", userId: null } as const;
  const { challenge, credential: response } = await answeredChallenge(parts, ceremony, given);
  const { id } = response;
  const now = new Date(parts.clock.now());
  return parts.database.transaction(async (tx) => {
    const passkey = await lockPasskeyOfCredential(tx, typeof id === "string" ? id : "");
    // The same answer for an unknown passkey and a wrong one, so that nobody learns here who has passkeys.
    if (!passkey || userHandleOf(response) !== passkey.user_id) throw refuse("webauthn_verification_failed");
    const ceremony = { challenge, response, verifiesUser: true };
    const used = await checkRequest(relyingParty(parts), credentialOf(passkey), ceremony);
    const user = used && (await findUserById(tx, passkey.user_id, "no lock"));
    if (!used || !user || user.deleted_at) throw refuse("webauthn_verification_failed");
    refuseUnready(user, now);
    await notePasskeyUse(tx, passkey.id, used, now);
    await audit(parts, tx, caller, "login", user, { passkey_id: passkey.id });
    return issueSession(parts, tx, caller, user, "passkey");
  });
}

function refuseUnready(user: UserRow, now: Date): void {
  if (user.email && !user.email_confirmed_at) throw refuse("email_not_confirmed", undefined, { status: 403 });
  if (user.phone && !user.phone_confirmed_at) throw refuse("phone_not_confirmed", undefined, { status: 403 });
  if (isBanned(user, now)) throw refuse("user_banned");
}

/** The owner that the device names: the user's id, as registered. */
function userHandleOf(credential: Readonly<Record<string, unknown>>): string | undefined {
  const response = credential["response"];
  const handle =
    typeof response === "object" && response !== null && "userHandle" in response
      ? response.userHandle
      : undefined;
  return typeof handle === "string" ? Buffer.from(handle, "base64url").toString("utf8") : undefined;
}
