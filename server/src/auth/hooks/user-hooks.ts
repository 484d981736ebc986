// The hook that is called before an account is created.
import type { Executor } from "../../postgres/executor.ts";
import type { NewIdentity, NewUser } from "../account/queries.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { hasHook, runHook } from "./run-hook.ts";

/** Go's zero time, for a time the row does not have yet. */
const NO_TIME = "0001-01-01T00:00:00Z";

/** Refuses with the hook's refusal. */
export async function beforeUserCreated(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: NewUser,
  identities: readonly NewIdentity[],
  now: Date,
): Promise<void> {
  if (!hasHook(parts, "BEFORE_USER_CREATED")) return;
  await runHook(parts, tx, caller, "BEFORE_USER_CREATED", {
    user: {
      id: user.id,
      aud: user.aud,
      role: user.role,
      email: user.email ?? "",
      phone: user.phone ?? "",
      ...(user.emailConfirmedAt && { email_confirmed_at: user.emailConfirmedAt }),
      ...(user.phoneConfirmedAt && { phone_confirmed_at: user.phoneConfirmedAt }),
      ...(user.invitedAt && { invited_at: user.invitedAt }),
      app_metadata: user.appMetadata,
      user_metadata: user.userMetadata,
      identities: identities
        .filter(({ provider }) => provider !== "email" && provider !== "phone")
        .map(({ provider, providerId, data }) => ({
          id: providerId,
          user_id: user.id,
          provider,
          identity_data: { sub: providerId, ...data },
          last_sign_in_at: now,
        })),
      created_at: NO_TIME,
      updated_at: NO_TIME,
      is_anonymous: user.isAnonymous,
    },
  });
}
