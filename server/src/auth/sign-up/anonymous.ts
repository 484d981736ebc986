// An anonymous account: its owner can return to it once they add an address or a phone number.
import { createUser } from "../account/new-user.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { issueSession, type SignedIn } from "../sessions/sessions.ts";

export function signUpAnonymously(
  parts: AuthParts,
  caller: AuthCaller,
  metadata: Record<string, unknown> = {},
): Promise<SignedIn> {
  const { settings } = parts;
  if (!settings.EXTERNAL_ANONYMOUS_USERS_ENABLED) throw refuse("anonymous_provider_disabled");
  parts.limits.countAnonymous(caller.ip);
  if (settings.DISABLE_SIGNUP) throw refuse("signup_disabled");
  const now = new Date(parts.clock.now());
  return parts.database.transaction(async (tx) => {
    const account = { isAnonymous: true, userMetadata: metadata, identities: [] };
    const user = await createUser(parts, tx, account, now);
    if (!user) throw refuse("unexpected_failure", "Database error creating anonymous user");
    await audit(parts, tx, caller, "user_signedup", user, { provider: "anonymous" });
    return issueSession(parts, tx, caller, user, "anonymous");
  });
}
