// Signing up with an address and a password. A new user is unconfirmed until a mailed link was opened, and that decides
// whose password counts (claims.ts). Who signs up with a confirmed user's address is answered as if the user were new, so that
// addresses cannot be probed; the owner gets a mail that says so.
import { randomUUID } from "node:crypto";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import type { Challenge } from "../links/flows.ts";
import { insertSignUp } from "../links/queries.ts";
import { checkMailInterval, prepareLink, prepareNotice } from "../links/links.ts";
import { checkStrength } from "../passwords/passwords.ts";
import type { Caller, AuthParts } from "../parts.ts";
import { createUser } from "../account/new-user.ts";
import { findUserByEmail, updateUser } from "../account/queries.ts";
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
  await checkStrength(given.password, parts.settings);
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
      const identity = identityData(id, email, false);
      const created = await createUser(
        parts,
        tx,
        caller,
        {
          id,
          email,
          encryptedPassword,
          userMetadata: { ...metadata, ...identity },
          identities: [{ provider: "email", data: identity }],
        },
        now,
      );
      const user = created ?? (await findUserByEmail(tx, email, "for update"));
      if (!user) throw refuse("unexpected_failure", "Database error finding user");
      if (user.email_confirmed_at) {
        await audit(parts, tx, caller, "user_repeated_signup", user, { provider: "email" });
        return prepareNotice(parts, tx, "already_registered", email);
      }
      const { stored: tokenHash } = await prepareLink(parts, tx, caller, user, {
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
