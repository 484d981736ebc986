// Signing in with a password.
import { audit } from "../audit.ts";
import { checkBackOff, countGuess, forgetGuesses } from "../limits/back-off.ts";
import { refuse } from "../errors.ts";
import { passwordAttempt } from "../hooks/attempt-hooks.ts";
import type { Caller, AuthParts } from "../parts.ts";
import { findUserByEmail, findUserById } from "../account/queries.ts";
import { isBanned, issueSession, type SignedIn } from "./sessions.ts";

export async function signInWithPassword(
  parts: AuthParts,
  caller: Caller,
  given: { email: string; phone: string; password: string },
): Promise<SignedIn> {
  if (given.email !== "" && given.phone !== "") {
    throw refuse("validation_failed", "Only an email address or phone number should be provided on login.");
  }
  if (given.phone !== "") throw refuse("phone_provider_disabled", "Phone logins are disabled");
  if (given.email === "") throw refuse("validation_failed", "missing email or phone");
  const email = given.email.toLowerCase();
  const known = await findUserByEmail(parts.database, email, "no lock");
  const account = { email, id: known?.id };
  const counted = await checkBackOff(parts, parts.database, caller, account);
  const matches = await parts.passwords.matches(given.password, known?.encrypted_password, {
    ip: caller.ip,
    account: email,
  });
  if (known) await passwordAttempt(parts, caller, { userId: known.id, valid: matches });
  if (!known || !matches) {
    await countGuess(parts, caller, counted);
    throw refuse("invalid_credentials");
  }

  return parts.database.transaction(async (tx) => {
    // Once more: of many guesses sent at once, a right one among wrong ones must not pass.
    await checkBackOff(parts, tx, caller, account);
    const user = await findUserById(tx, known.id, "no lock");
    // The password may have been changed while this one was compared.
    if (!user || user.encrypted_password !== known.encrypted_password) throw refuse("invalid_credentials");
    if (isBanned(user, new Date(parts.clock.now()))) throw refuse("user_banned", undefined, { status: 400 });
    if (!user.email_confirmed_at) throw refuse("email_not_confirmed");
    const [signedIn] = await Promise.all([
      issueSession(parts, tx, caller, user, "password"),
      audit(parts, tx, caller, "login", user, { provider: "email" }),
      forgetGuesses(tx, counted),
    ]);
    return signedIn;
  });
}
