// Signing up where no address has to be confirmed: a session at once. As in GoTrue, this reveals that an address is taken.
import { audit } from "../audit.ts";
import { createUser } from "../account/new-user.ts";
import { refuse } from "../errors.ts";
import { confirmEmail, confirmPhone } from "../links/confirmation.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { issueSession, type SignedIn } from "../sessions/sessions.ts";
import type { Way } from "./way.ts";

export function signUpAtOnce(
  parts: AuthParts,
  caller: AuthCaller,
  way: Way,
  asked: { id: string; encryptedPassword: string; metadata: Record<string, unknown> },
  now: Date,
): Promise<SignedIn> {
  const { id, encryptedPassword, metadata } = asked;
  const { provider, address } = way;
  return parts.database.transaction(async (tx) => {
    const identity = way.identity(id, false);
    const account = {
      id,
      [provider]: address,
      encryptedPassword,
      userMetadata: { ...metadata, ...identity },
      identities: [{ provider, data: identity }],
    };
    const user = (await createUser(parts, tx, account, now)) ?? (await way.find(tx));
    if (!user || way.isConfirmed(user)) throw refuse("user_already_exists");
    const confirm = provider === "email" ? confirmEmail : confirmPhone;
    const confirmed = await confirm(tx, user, now, { encryptedPassword, metadata });
    await audit(parts, tx, caller, "user_signedup", confirmed, { provider });
    await audit(parts, tx, caller, "login", confirmed, { provider });
    return issueSession(parts, tx, caller, confirmed, "password");
  });
}
