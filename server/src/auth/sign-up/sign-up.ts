// Signing up with a password, by mail or phone. A new user is unconfirmed until a mailed link is opened or a code typed, and
// that decides whose password counts (claims.ts). Signing up with a confirmed user's address gets the same answer as a new
// user, so that addresses cannot be probed; the owner is notified by mail.
import { randomUUID } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import type { Challenge } from "../links/flows.ts";
import { insertSignUp } from "../links/queries.ts";
import { prepareLink, prepareNotice } from "../links/links.ts";
import { checkMailInterval, checkTextInterval } from "../limits/send-limits.ts";
import { checkStrength } from "../passwords/passwords.ts";
import type { AuthCaller, AuthParts } from "../parts.ts";
import { createUser } from "../account/new-user.ts";
import { findUserByEmail, findUserByPhone, updateUser } from "../account/queries.ts";
import { parseEmail, parsePhone } from "../http/requests.ts";
import { identityData, phoneIdentityData, signedUpUser, type UserView } from "../account/user-view.ts";
import type { SignedIn } from "../sessions/sessions.ts";
import { prepareText } from "../texts/codes.ts";
import { parseChannel, requirePhones } from "../texts/phone.ts";
import { signUpAtOnce } from "./autoconfirm.ts";
import type { Way } from "./way.ts";

export interface SignUp {
  readonly email: string;
  readonly phone: string;
  readonly password: string;
  readonly channel: string;
  readonly data?: Record<string, unknown> | undefined;
}

/** Returns a session immediately where nothing has to be confirmed. */
export async function signUp(
  parts: AuthParts,
  caller: AuthCaller,
  given: SignUp,
  challenge?: Challenge,
): Promise<UserView | SignedIn> {
  if (parts.settings.DISABLE_SIGNUP) throw refuse("signup_disabled");
  if (given.password === "") throw refuse("validation_failed", "Signup requires a valid password");
  await checkStrength(given.password, parts, [given.email]);
  if (given.email !== "" && given.phone !== "") {
    throw refuse("validation_failed", "Only an email address or phone number should be provided on signup.");
  }
  const way = given.phone === "" ? byMail(parts, given, challenge) : byPhone(parts, given, challenge);
  // Before the user is looked up, so that known and unknown addresses cost the same.
  const encryptedPassword = await parts.passwords.hash(given.password, {
    ip: caller.ip,
    account: way.address,
  });
  const now = new Date(parts.clock.now());
  const account = { id: randomUUID(), encryptedPassword, metadata: given.data ?? {} };
  if (way.isAtOnce) return signUpAtOnce(parts, caller, way, account, now);
  await parts.evenly(() =>
    parts.database.transaction(async (tx) => {
      await way.checkInterval(tx, caller);
      await registerIn(parts, tx, caller, way, account, now);
    }),
  );
  parts.outbox.poke();
  return signedUpUser(account.id, way, account.metadata, parts.settings, now);
}

function byMail(parts: AuthParts, given: SignUp, challenge: Challenge | undefined): Way {
  if (!parts.settings.EXTERNAL_EMAIL_ENABLED) throw refuse("email_provider_disabled");
  const email = parseEmail(given.email);
  return {
    provider: "email",
    address: email,
    isAtOnce: parts.settings.MAILER_AUTOCONFIRM,
    isConfirmed: (user) => user.email_confirmed_at !== null,
    find: (tx) => findUserByEmail(tx, email, "for update"),
    identity: (id, verified) => identityData(id, email, verified),
    checkInterval: (tx, caller) => checkMailInterval(parts, tx, "sign-up", email, caller),
    async send(tx, caller, user) {
      const options = { kind: "confirmation", to: email, challenge } as const;
      return (await prepareLink(parts, tx, caller, user, options)).stored;
    },
    notifyOwner: (tx) => prepareNotice(parts, tx, "already_registered", email),
  };
}

function byPhone(parts: AuthParts, given: SignUp, challenge: Challenge | undefined): Way {
  if (challenge) throw refuse("validation_failed", "PKCE not supported for phone signups");
  requirePhones(parts, "Phone signups are disabled");
  const channel = parseChannel(parts, given.channel);
  const phone = parsePhone(given.phone);
  return {
    provider: "phone",
    address: phone,
    isAtOnce: parts.settings.SMS_AUTOCONFIRM,
    isConfirmed: (user) => user.phone_confirmed_at !== null,
    find: (tx) => findUserByPhone(tx, phone, "for update"),
    identity: (id, verified) => phoneIdentityData(id, phone, verified),
    checkInterval: (tx, caller) => checkTextInterval(parts, tx, "sms", phone, caller),
    async send(tx, caller, user) {
      return (await prepareText(parts, tx, user, { kind: "sms", phone, channel })).stored;
    },
    // A text costs money, and any stranger could trigger one.
    notifyOwner: async () => {},
  };
}

interface NewAccount {
  readonly id: string;
  readonly encryptedPassword: string;
  readonly metadata: Record<string, unknown>;
}

async function registerIn(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  way: Way,
  { id, encryptedPassword, metadata }: NewAccount,
  now: Date,
): Promise<void> {
  const { provider, address } = way;
  const identity = way.identity(id, false);
  const created = await createUser(
    parts,
    tx,
    {
      id,
      [provider]: address,
      encryptedPassword,
      userMetadata: { ...metadata, ...identity },
      identities: [{ provider, data: identity }],
    },
    now,
  );
  const user = created ?? (await way.find(tx));
  if (!user) throw refuse("unexpected_failure", "Database error finding user");
  if (way.isConfirmed(user)) {
    await audit(parts, tx, caller, "user_repeated_signup", user, { provider });
    return way.notifyOwner(tx);
  }
  const tokenHash = await way.send(tx, caller, user);
  await insertSignUp(tx, { tokenHash, userId: user.id, encryptedPassword, metadata }, now);
  // Until the account is confirmed, signing in with the newest password answers that the address still needs confirmation.
  if (!created && !user.confirmed_at) {
    await updateUser(tx, user.id, { encrypted_password: encryptedPassword }, now);
  }
  await audit(parts, tx, caller, "user_confirmation_requested", user, { provider });
}
