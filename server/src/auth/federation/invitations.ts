// Accepting an invitation by signing in at a provider with the invited address.
import type { Executor } from "../../postgres/executor.ts";
import { fitting } from "../account/metadata.ts";
import { findUserById, insertIdentity, updateUser, type UserRow } from "../account/queries.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import { deleteOneTimeTokens, lockOneTimeToken } from "../links/queries.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { isBanned } from "../sessions/sessions.ts";
import type { External } from "./external-account.ts";
import { identityDataOf } from "./provided-user.ts";
import { clearUnconfirmed, findIdentity, NOTHING_UNPROVEN, updateProviders } from "./queries.ts";

/** The user that the link's token invites; undefined when the token is made up or too old. */
export async function invitedUser(
  parts: AuthParts,
  tx: Executor,
  token: string,
): Promise<string | undefined> {
  const found = await lockOneTimeToken(tx, parts.atRest.hash(token), ["confirmation_token"]);
  const expired =
    found && found.sent_at.getTime() + parts.settings.MAILER_OTP_EXP * 1000 <= parts.clock.now();
  return expired ? undefined : found?.user_id;
}

/** Links the provider's account to the invited one. Refuses a provider's account that lacks the invited address. */
export async function acceptInvitation(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  token: string,
  { provider, user: provided }: External,
): Promise<UserRow> {
  const now = new Date(parts.clock.now());
  const id = await invitedUser(parts, tx, token);
  const user = id && (await findUserById(tx, id, "for update"));
  if (!user || user.deleted_at) throw refuse("invite_not_found");
  if (isBanned(user, now)) throw refuse("user_banned");
  if (!provided.emails.some(({ email, verified }) => verified && email === user.email)) {
    throw refuse("validation_failed", "Invited email does not match emails from external provider");
  }
  const providerId = provided.claims.sub;
  if (await findIdentity(tx, provider, providerId)) throw refuse("identity_already_exists");
  const data = identityDataOf(provided);
  await insertIdentity(tx, { userId: user.id, provider, providerId, data }, now);
  await deleteOneTimeTokens(tx, user.id, ["confirmation_token"]);
  const metadata = fitting(user.raw_user_meta_data, data);
  const confirmed = { email_confirmed_at: now, raw_user_meta_data: metadata };
  if (user.confirmed_at) await updateUser(tx, user.id, confirmed, now);
  else {
    // A stranger may have signed up with the invited address, and must not come in by their own password.
    await clearUnconfirmed(tx, user.id, { provider, providerId });
    await updateUser(tx, user.id, { ...confirmed, ...NOTHING_UNPROVEN }, now);
  }
  await updateProviders(tx, user.id, now);
  await audit(parts, tx, caller, "invite_accepted", user, { provider });
  return (await findUserById(tx, user.id, "no lock"))!;
}
