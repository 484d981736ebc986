// Signing up with an address and a password. A new user is unconfirmed until a mailed link was opened, and that decides
// whose password counts (claims.ts). Who signs up with a confirmed user's address is answered as if the user were new, so that
// addresses cannot be probed; the owner gets a mail that says so.
import { randomUUID } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import type { Challenge } from "../links/flows.ts";
import { insertSignUp } from "../links/queries.ts";
import { checkMailInterval, prepareLink, prepareNotice } from "../links/links.ts";
import { checkStrength } from "../passwords/passwords.ts";
import type { Caller, AuthParts } from "../parts.ts";
import {
  findUserByEmail,
  findUserById,
  insertEmailIdentity,
  insertUser,
  type NewUser,
  updateUser,
  type UserRow,
} from "../account/queries.ts";
import { parseEmail } from "../http/requests.ts";
import { identityData, signedUpUser, type UserView } from "../account/user-view.ts";

export interface SignUp {
  readonly email: string;
  readonly phone: string;
  readonly password: string;
  readonly data?: Record<string, unknown> | undefined;
}

export async function signUp(
  parts: AuthParts,
  caller: Caller,
  given: SignUp,
  challenge?: Challenge,
): Promise<UserView> {
  if (given.email === "" && given.phone === "") throw refuse("anonymous_provider_disabled");
  if (given.password === "") throw refuse("validation_failed", "Signup requires a valid password");
  await checkStrength(given.password, parts.policy.passwordMinLength);
  if (given.email !== "" && given.phone !== "") {
    throw refuse("validation_failed", "Only an email address or phone number should be provided on signup.");
  }
  if (given.phone !== "") throw refuse("phone_provider_disabled");
  const email = parseEmail(given.email);
  const metadata = given.data ?? {};
  // Before looking for the user: known and unknown addresses cost the same.
  const encryptedPassword = await parts.passwords.hash(given.password, { ip: caller.ip, account: email });
  const now = new Date(parts.clock.now());
  const id = randomUUID();

  await parts.evenly(() =>
    parts.database.transaction(async (tx) => {
      await checkMailInterval(parts, tx, "sign-up", email, caller);
      const created = await createUser(
        tx,
        { id, email, encryptedPassword, metadata, emailConfirmedAt: null },
        now,
      );
      const user = created ?? (await findUserByEmail(tx, email, "for update"));
      if (!user) throw refuse("unexpected_failure", "Database error finding user");
      if (user.email_confirmed_at) {
        await audit(parts, tx, caller, "user_repeated_signup", user, { provider: "email" });
        return prepareNotice(parts, tx, "already_registered", email);
      }
      const { token: tokenHash } = await prepareLink(parts, tx, caller, user, {
        kind: "confirmation",
        to: email,
        challenge,
      });
      await insertSignUp(tx, { tokenHash, userId: user.id, encryptedPassword, metadata }, now);
      // Until a link is opened, the newest sign-up is who can be told that the address waits for that.
      if (!created) await updateUser(tx, user.id, { encrypted_password: encryptedPassword }, now);
      await audit(parts, tx, caller, "user_confirmation_requested", user, { provider: "email" });
    }),
  );
  parts.outbox.poke();
  return signedUpUser(id, email, metadata, now);
}

/** A user with its e-mail identity; undefined when the address (or a given id) is taken. */
export async function createUser(
  tx: Executor,
  user: Pick<NewUser, "email" | "encryptedPassword" | "emailConfirmedAt"> & {
    metadata: Record<string, unknown>;
    id?: string | undefined;
    role?: string | undefined;
    appMetadata?: Record<string, unknown> | undefined;
  },
  now: Date,
): Promise<UserRow | undefined> {
  const id = user.id ?? randomUUID();
  const identity = identityData(id, user.email, user.emailConfirmedAt !== null);
  const inserted = await insertUser(
    tx,
    {
      id,
      email: user.email,
      encryptedPassword: user.encryptedPassword,
      emailConfirmedAt: user.emailConfirmedAt,
      appMetadata: { provider: "email", providers: ["email"], ...user.appMetadata },
      userMetadata: { ...user.metadata, ...identity },
      role: user.role ?? "authenticated",
    },
    now,
  );
  if (!inserted) return undefined;
  await insertEmailIdentity(tx, id, identity, now);
  return findUserById(tx, id, "no lock");
}
