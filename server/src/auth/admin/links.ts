// A link and its code, which an operator hands over instead of a mail: GoTrue's POST /admin/generate_link.
import type { Executor } from "../../postgres/executor.ts";
import { administrator, audit } from "../audit.ts";
import { createUser } from "../account/new-user.ts";
import { merged } from "../account/metadata.ts";
import { findUserByEmail, findUserById, isTaken, updateUser, type UserRow } from "../account/queries.ts";
import { userView } from "../account/user-view.ts";
import { refuse } from "../errors.ts";
import { allowedRedirect } from "../http/redirects.ts";
import { parseEmail } from "../http/requests.ts";
import { type FreshLink, linkAddress, prepareLink } from "../links/links.ts";
import { deleteOneTimeTokens, EMAIL_CHANGE_TOKENS } from "../links/queries.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { checkStrength } from "../passwords/passwords.ts";
import { inviteIn } from "./invite.ts";

export interface LinkWanted {
  readonly type: string;
  readonly email: string;
  readonly new_email: string;
  readonly password: string;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly redirect_to: string;
}

interface Prepared {
  readonly user: UserRow;
  readonly link: FreshLink;
}
type Prepare = (
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  given: LinkWanted & { passwordHash?: string | undefined },
  user: UserRow | undefined,
) => Promise<Prepared>;

const TYPES: Readonly<Record<string, Prepare>> = {
  signup: signUpLink,
  invite: (parts, tx, caller, given) => inviteIn(parts, tx, caller, given, "handed over"),
  magiclink: (parts, tx, caller, given, user) =>
    user
      ? accountLink("magiclink")(parts, tx, caller, given, user)
      : signUpLink(parts, tx, caller, given, user),
  recovery: accountLink("recovery"),
  email_change_current: changeLink,
  email_change_new: changeLink,
};

export async function generateLink(
  parts: AuthParts,
  caller: AuthCaller,
  given: LinkWanted,
): Promise<Record<string, unknown>> {
  const email = parseEmail(given.email);
  const prepare = Object.hasOwn(TYPES, given.type) ? TYPES[given.type] : undefined;
  if (!prepare) {
    throw refuse("validation_failed", `Invalid email action link type requested: ${given.type}`);
  }
  const wanted = { ...given, email, passwordHash: await hashFor(parts, caller, given, email) };
  const redirectTo = given.redirect_to
    ? allowedRedirect(given.redirect_to, parts.siteUrl, parts.settings.URI_ALLOW_LIST)
    : caller.redirectTo;
  const from = { ...caller, redirectTo };
  const { user, link, type } = await parts.database.transaction(async (tx) => {
    const known = await findUserByEmail(tx, email, "for update");
    const prepared = await prepare(parts, tx, from, wanted, known);
    const isNew = given.type === "magiclink" && !known;
    return { ...prepared, type: isNew ? "signup" : given.type };
  });
  const verification = type.startsWith("email_change") ? "email_change" : type;
  return {
    ...userView(user),
    action_link: linkAddress(from, link.token, verification),
    email_otp: link.code,
    hashed_token: link.token,
    verification_type: type,
    redirect_to: redirectTo,
  };
}

/** For a sign-up with a password. Hashed before the transaction, which must not wait for it. */
async function hashFor(parts: AuthParts, caller: AuthCaller, given: LinkWanted, account: string) {
  if (given.type !== "signup") return undefined;
  if (given.password === "") throw refuse("validation_failed", "Signup requires a valid password");
  await checkStrength(given.password, parts, [given.email]);
  return parts.passwords.hash(given.password, { ip: caller.ip, account });
}

async function signUpLink(...[parts, tx, caller, given, user]: Parameters<Prepare>): Promise<Prepared> {
  if (user?.email_confirmed_at) throw refuse("email_exists");
  const now = new Date(parts.clock.now());
  const { email, data = {} } = given;
  const identity = { email, email_verified: false, phone_verified: false };
  const account = user ?? (await createUser(parts, tx, signedUp(given, identity), now));
  if (!account) throw refuse("email_exists");
  if (user) {
    const metadata = merged("data", user.raw_user_meta_data, data);
    await updateUser(tx, user.id, { raw_user_meta_data: metadata }, now);
  }
  const traits = { user_id: account.id, user_email: email, provider: "email" };
  await audit(parts, tx, caller, "user_confirmation_requested", administrator(caller), traits);
  const link = await prepareLink(parts, tx, caller, account, {
    kind: "confirmation",
    to: email,
    mailed: false,
  });
  return { user: (await findUserById(tx, account.id, "no lock"))!, link };
}

const signedUp = (
  { email, data, passwordHash }: Parameters<Prepare>[3],
  identity: Record<string, unknown>,
) => ({
  email,
  encryptedPassword: passwordHash ?? null,
  userMetadata: { ...data },
  identities: [{ provider: "email", data: identity }],
});

function accountLink(kind: "recovery" | "magiclink"): Prepare {
  return async (parts, tx, caller, { email }, user) => {
    if (!user) throw refuse("user_not_found", "User with this email not found");
    const traits = { user_id: user.id, user_email: email };
    await audit(parts, tx, caller, "user_recovery_requested", administrator(caller), traits);
    const link = await prepareLink(parts, tx, caller, user, { kind, to: email, mailed: false });
    return { user: (await findUserById(tx, user.id, "no lock"))!, link };
  };
}

/** One of the two links of an address change; opening both makes the change. */
async function changeLink(...[parts, tx, caller, given, user]: Parameters<Prepare>): Promise<Prepared> {
  if (!user) throw refuse("user_not_found", "User with this email not found");
  const isCurrent = given.type === "email_change_current";
  if (isCurrent && !parts.settings.MAILER_SECURE_EMAIL_CHANGE_ENABLED) {
    throw refuse("validation_failed", "Enable secure email change to generate link for current email");
  }
  const newEmail = parseEmail(given.new_email);
  if (newEmail !== user.email && (await isTaken(tx, "email", newEmail))) throw refuse("email_exists");
  const now = new Date(parts.clock.now());
  if (user.email_change !== newEmail) await deleteOneTimeTokens(tx, user.id, EMAIL_CHANGE_TOKENS);
  // Reset, as in GoTrue: one half opened twice must not count for both.
  await updateUser(tx, user.id, { email_change: newEmail, email_change_confirm_status: 0 }, now);
  const traits = { user_id: user.id, user_email: given.email };
  await audit(parts, tx, caller, "user_modified", administrator(caller), traits);
  const link = await prepareLink(parts, tx, caller, user, {
    kind: isCurrent ? "email_change_current" : "email_change_new",
    to: isCurrent ? given.email : newEmail,
    newEmail,
    mailed: false,
  });
  return { user: (await findUserById(tx, user.id, "no lock"))!, link };
}
