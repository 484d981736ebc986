// Adding a passkey to an account. The device keeps it and asks for a finger, a face or its PIN each time.
import {
  type Account,
  requireAgain,
  requireNamedAccount,
  requireSecondStep,
} from "../account/require-account.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import { notifyOwner } from "../mails/notices.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { isCredentialKnown } from "../webauthn/queries.ts";
import { checkCreation, creationOptions, relyingParty } from "../webauthn/relying-party.ts";
import { answeredChallenge, beginCeremony, type PasskeyAnswer } from "./ceremonies.ts";
import { findPasskeys, insertPasskey, knownCredential } from "./queries.ts";
import { authenticatorName } from "./authenticator-names.ts";

const tooMany = () => refuse("too_many_passkeys");

/** The caller's account, if its passkeys may be changed: with a second factor, only after the second step. */
export async function requireManagement(parts: AuthParts, caller: AuthCaller): Promise<Account> {
  const account = await requireNamedAccount(parts, caller);
  requireSecondStep(account, "AAL2 session is required to manage passkeys when MFA is enabled");
  return account;
}

async function requireRegistration(parts: AuthParts, caller: AuthCaller): Promise<Account> {
  const { user } = await requireNamedAccount(parts, caller);
  if (user.is_sso_user) {
    throw refuse("validation_failed", "SSO users cannot register passkeys", { status: 422 });
  }
  return requireManagement(parts, caller);
}

export async function passkeyRegistrationOptions(parts: AuthParts, caller: AuthCaller) {
  const { user } = await requireRegistration(parts, caller);
  const passkeys = await findPasskeys(parts.database, user.id);
  if (passkeys.length >= parts.settings.PASSKEY_MAX_PASSKEYS_PER_USER) throw tooMany();
  const options = await creationOptions(relyingParty(parts), user, passkeys.map(knownCredential), {
    userVerification: "required",
    isPasskey: true,
  });
  return beginCeremony(parts, { type: "registration", userId: user.id }, options);
}

export async function registerPasskey(parts: AuthParts, caller: AuthCaller, given: PasskeyAnswer) {
  const account = await requireRegistration(parts, caller);
  const { user } = account;
  const ceremony = { type: "registration", userId: user.id } as const;
  const { challenge, credential: response } = await answeredChallenge(parts, ceremony, given);
  const credential = await checkCreation(relyingParty(parts), { challenge, response, verifiesUser: true });
  if (!credential) throw refuse("webauthn_verification_failed");
  const friendlyName = authenticatorName(credential.aaguid);
  const now = new Date(parts.clock.now());
  const id = await parts.database.transaction(async (tx) => {
    await requireAgain(parts, tx, account);
    const passkeys = await findPasskeys(tx, user.id);
    if (passkeys.length >= parts.settings.PASSKEY_MAX_PASSKEYS_PER_USER) throw tooMany();
    if (await isCredentialKnown(tx, credential)) {
      throw refuse("webauthn_credential_exists", "This credential is already registered");
    }
    const made = await insertPasskey(tx, { userId: user.id, credential, friendlyName }, now);
    await audit(parts, tx, caller, "passkey_created", user, { passkey_id: made });
    await notifyOwner(parts, tx, user, "passkey_created");
    return made;
  });
  parts.outbox.poke();
  return { id, friendly_name: friendlyName, created_at: now };
}
