// Which account a provider's account belongs to. A known identity decides. Otherwise an address that the provider has
// verified leads to the account with that address. One that it has not verified leads nowhere: it neither opens nor joins an
// account (decision 069).
import type { Executor } from "../../postgres/executor.ts";
import { fitting } from "../account/metadata.ts";
import { createUser } from "../account/new-user.ts";
import { findUserById, insertIdentity, updateUser, type UserRow } from "../account/queries.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import { notifyOwner } from "../mails/notices.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { isBanned } from "../sessions/sessions.ts";
import { checkedUser, identityDataOf, type ProvidedUser } from "./provided-user.ts";
import {
  clearUnconfirmed,
  findIdentity,
  findOwners,
  NOTHING_UNPROVEN,
  renewIdentity,
  updateProviders,
} from "./queries.ts";

export interface External {
  /** As in auth.identities: `google`, `custom:…`, `sso:<id>`. */
  readonly provider: string;
  readonly user: ProvidedUser;
  /** Whether an account without an address may sign in. */
  readonly emailOptional: boolean;
}

/** The only way to create an External, so every provider's claims are checked. */
export const externalOf = (provider: string, user: ProvidedUser, emailOptional: boolean): External => ({
  provider,
  user: checkedUser(user),
  emailOptional,
});

interface Judged extends External {
  readonly data: Record<string, unknown>;
  /** Addresses the provider has verified, in lower case. */
  readonly verified: readonly string[];
  readonly now: Date;
}

/** The account, created or joined by the rule above, in the caller's transaction. The audit log records which. */
export async function externalAccount(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  external: External,
): Promise<UserRow> {
  const judged: Judged = {
    ...external,
    data: identityDataOf(external.user),
    verified: external.user.emails.filter((one) => one.verified).map(({ email }) => email),
    now: new Date(parts.clock.now()),
  };
  const { provider, data, now } = judged;
  const known = await findIdentity(tx, provider, external.user.claims.sub);
  if (known) {
    const user = await present(tx, known.user_id, now);
    await renewIdentity(tx, known.id, data, now);
    return signedIn(parts, tx, caller, user, judged);
  }
  const sso = provider.startsWith("sso:") ? provider : undefined;
  const owners = judged.verified.length === 0 ? [] : await findOwners(tx, judged.verified, sso);
  if (owners.length > 1) {
    const domain = sso ?? "default";
    const message = `Multiple accounts with the same email address in the same linking domain detected: ${domain}`;
    throw refuse("unexpected_failure", message);
  }
  if (owners[0] === undefined) return newAccount(parts, tx, caller, judged, sso !== undefined);
  const user = await present(tx, owners[0], now);
  const identity = { userId: user.id, provider, providerId: external.user.claims.sub, data };
  await insertIdentity(tx, identity, now);
  await audit(parts, tx, caller, "identity_linked", user, { provider, provider_id: identity.providerId });
  await notifyOwner(parts, tx, user, "identity_linked", provider);
  return signedIn(parts, tx, caller, user, judged);
}

async function present(tx: Executor, id: string, now: Date): Promise<UserRow> {
  const user = await findUserById(tx, id, "for update");
  if (!user || user.deleted_at) throw refuse("user_not_found");
  if (isBanned(user, now)) throw refuse("user_banned");
  return user;
}

async function newAccount(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  { provider, user, data, now, emailOptional }: Judged,
  isSsoUser: boolean,
): Promise<UserRow> {
  if (parts.settings.DISABLE_SIGNUP) throw refuse("signup_disabled");
  const counts = user.emails.find(({ primary }) => primary) ?? user.emails[0];
  if (counts ? !counts.verified : !emailOptional) throw unverified(provider);
  const made = await createUser(
    parts,
    tx,
    {
      email: counts?.email ?? null,
      emailConfirmedAt: counts ? now : null,
      identities: [{ provider, providerId: user.claims.sub, data }],
      userMetadata: data,
      isSsoUser,
    },
    now,
  );
  // Someone took the address after the lookup. The next attempt finds them.
  if (!made) throw refuse("unexpected_failure", "Database error saving new user");
  await audit(parts, tx, caller, "user_signedup", made, { provider });
  return made;
}

/** What a sign-in updates in an existing account. */
async function signedIn(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  { provider, user: provided, data, verified, now, emailOptional }: Judged,
): Promise<UserRow> {
  const isConfirmed = user.email_confirmed_at !== null || user.phone_confirmed_at !== null;
  const needsNoProof = isConfirmed || user.is_anonymous || (emailOptional && user.email === null);
  if (!needsNoProof && !verified.includes(user.email ?? "")) throw unverified(provider);
  if (needsNoProof) {
    await updateUser(tx, user.id, { raw_user_meta_data: fitting(user.raw_user_meta_data, data) }, now);
    await audit(parts, tx, caller, "login", user, { provider });
  } else {
    // Whoever created the account never proved that the address is theirs, and may have left a way back in.
    await clearUnconfirmed(tx, user.id, { provider, providerId: provided.claims.sub });
    const owned = { raw_user_meta_data: data, email_confirmed_at: now };
    await updateUser(tx, user.id, { ...owned, ...NOTHING_UNPROVEN }, now);
    await audit(parts, tx, caller, "user_signedup", user, { provider });
  }
  await updateProviders(tx, user.id, now);
  return (await findUserById(tx, user.id, "no lock"))!;
}

const unverified = (provider: string) =>
  refuse(
    "provider_email_needs_verification",
    `Unverified email with ${provider}. Verify the email with ${provider} in order to sign in`,
    { status: 422 },
  );
