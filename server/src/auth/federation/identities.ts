// Linking another provider's account to one's own, and unlinking it: GoTrue's manual linking.
import type { Executor } from "../../postgres/executor.ts";
import {
  type Account,
  requireOwnAccount,
  requireAgain,
  requireSecondStep,
} from "../account/require-account.ts";
import { isDuplicate } from "../account/email-change.ts";
import { findUserById, insertIdentity, updateUser, type UserRow } from "../account/queries.ts";
import { releaseUnclaimed } from "../account/unclaimed.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import { isUuid } from "../http/requests.ts";
import { notifyOwner } from "../mails/notices.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { lockSession } from "../sessions/queries.ts";
import { isBanned } from "../sessions/sessions.ts";
import type { External } from "./external-account.ts";
import { identityDataOf } from "./provided-user.ts";
import { deleteIdentity, findIdentity, updateProviders } from "./queries.ts";

const NEEDS_SECOND_STEP = "AAL2 session is required to link or unlink identities when MFA is enabled";

/** The caller's account, if identities may be linked to it or unlinked: with a second factor, only after the second step. */
export async function requireManualLinking(parts: AuthParts, caller: AuthCaller): Promise<Account> {
  const account = await requireOwnAccount(parts, caller);
  if (!parts.settings.SECURITY_MANUAL_LINKING_ENABLED) throw refuse("manual_linking_disabled");
  requireSecondStep(account, NEEDS_SECOND_STEP);
  return account;
}

/** Refuses a link whose session, which began it minutes ago in a browser, has ended since or lacks the second step. */
export async function requireLinkingSession(
  tx: Executor,
  user: UserRow,
  sessionId: string | null,
): Promise<void> {
  const session = sessionId === null ? undefined : await lockSession(tx, sessionId);
  if (sessionId !== null && !session) throw refuse("session_not_found");
  requireSecondStep({ user, session }, NEEDS_SECOND_STEP);
}

/** Runs in the caller's transaction. Refuses with identity_already_exists when any account has the identity. */
export async function linkIdentity(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  userId: string,
  { provider, user: provided }: External,
): Promise<UserRow> {
  const now = new Date(parts.clock.now());
  const user = await findUserById(tx, userId, "for update");
  if (!user || user.deleted_at)
    throw refuse("user_not_found", "Linking target user not found", { status: 422 });
  if (isBanned(user, now)) throw refuse("user_banned");
  if (user.is_sso_user)
    throw refuse("user_sso_managed", "A single sign-on account cannot have other identities");
  const providerId = provided.claims.sub;
  const known = await findIdentity(tx, provider, providerId);
  if (known) {
    throw refuse(
      "identity_already_exists",
      known.user_id === user.id ? undefined : "Identity is already linked to another user",
    );
  }
  const data = identityDataOf(provided);
  await insertIdentity(tx, { userId: user.id, provider, providerId, data }, now);
  if (user.email === null) await adoptEmail(parts, tx, caller, user, { provider, data, now });
  await updateProviders(tx, user.id, now);
  await audit(parts, tx, caller, "identity_linked", user, { provider, provider_id: providerId });
  // Sent to the previous address: an account without one has no owner to notify yet.
  await notifyOwner(parts, tx, user, "identity_linked", provider);
  return (await findUserById(tx, user.id, "no lock"))!;
}

/** An account without an address, usually an anonymous one, adopts the provider's if the provider has verified it. */
async function adoptEmail(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  { provider, data, now }: { provider: string; data: Readonly<Record<string, unknown>>; now: Date },
): Promise<void> {
  if (typeof data.email !== "string") return;
  if (data.email_verified !== true) {
    throw refuse("email_not_confirmed", `Unverified email with ${provider}`, { status: 422 });
  }
  await releaseUnclaimed(parts, tx, caller, user, "email", data.email);
  const changes = { email: data.email, email_confirmed_at: now, is_anonymous: false };
  await updateUser(tx, user.id, changes, now).catch((error: unknown) => {
    throw isDuplicate(error) ? refuse("email_exists", undefined, { status: 400, cause: error }) : error;
  });
}

/**
 * Removes one of the caller's identities, but never the last. The account keeps its address even if it came with this
 * identity: only the owner's confirmation changes it. Otherwise whoever holds a stolen session could link their own identity
 * and take the account over.
 */
export async function unlinkIdentity(
  parts: AuthParts,
  caller: AuthCaller,
  identityId: string,
): Promise<void> {
  if (!isUuid(identityId)) {
    throw refuse("validation_failed", "identity_id must be an UUID", { status: 404 });
  }
  const account = await requireManualLinking(parts, caller);
  await parts.database.transaction(async (tx) => {
    const user = await requireAgain(parts, tx, account);
    if (user.identities.length <= 1) throw refuse("single_identity_not_deletable");
    const identity = user.identities.find(({ id }) => id === identityId.toLowerCase());
    if (!identity) throw refuse("identity_not_found");
    const now = new Date(parts.clock.now());
    const traits = {
      identity_id: identity.id,
      provider: identity.provider,
      provider_id: identity.provider_id,
    };
    await audit(parts, tx, caller, "identity_unlinked", user, traits);
    await deleteIdentity(tx, user.id, identity.id);
    if (identity.provider === "phone") {
      await updateUser(tx, user.id, { phone: null, phone_confirmed_at: null }, now);
    }
    await updateProviders(tx, user.id, now);
    await notifyOwner(parts, tx, user, "identity_unlinked", identity.provider);
  });
  parts.outbox.poke();
}
