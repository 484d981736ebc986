// Signing in with a password, by an address or a phone number.
import { audit } from "../audit.ts";
import { type Guess, type Guessed, withGuess } from "../limits/back-off.ts";
import { refuse } from "../errors.ts";
import type { AuthCaller, AuthParts } from "../parts.ts";
import { findUserByEmail, findUserById, findUserByPhone, type UserRow } from "../account/queries.ts";
import { requirePhones } from "../texts/phone.ts";
import { isBanned, issueSession, type SignedIn } from "./sessions.ts";

export async function signInWithPassword(
  parts: AuthParts,
  caller: AuthCaller,
  given: { email: string; phone: string; password: string },
): Promise<SignedIn> {
  if (given.email !== "" && given.phone !== "") {
    throw refuse("validation_failed", "Only an email address or phone number should be provided on login.");
  }
  if (given.email === "" && given.phone === "") throw refuse("validation_failed", "missing email or phone");
  const provider = given.email === "" ? "phone" : "email";
  const address = addressOf(parts, given);
  const find = provider === "email" ? findUserByEmail : findUserByPhone;
  // Independent queries are sent together, here and below: each answer waits for a turn of the event loop, which takes tens
  // of milliseconds under a flood.
  const finding = find(parts.database, address, "no lock");
  const guessed: Guessed = { kind: "password", subject: address, userId: async () => (await finding)?.id };
  const [, signedIn] = await Promise.all([
    finding,
    withGuess(parts, caller, guessed, async (guess) => {
      const known = await finding;
      const matches = await parts.passwords.matches(given.password, known?.encrypted_password, {
        ip: caller.ip,
        account: address,
      });
      if (!known || !matches) {
        guess.isWrong();
        throw refuse("invalid_credentials");
      }
      return openSession(parts, caller, { known, provider, guess });
    }),
  ]);
  return signedIn;
}

/** For whoever gave the password of the account as it was `known`. */
function openSession(
  parts: AuthParts,
  caller: AuthCaller,
  { known, provider, guess }: { known: UserRow; provider: "email" | "phone"; guess: Guess },
): Promise<SignedIn> {
  return parts.database.transaction(async (tx) => {
    const user = await findUserById(tx, known.id, "no lock");
    // The password may have changed during the comparison.
    if (!user || user.encrypted_password !== known.encrypted_password) {
      guess.isWrong();
      throw refuse("invalid_credentials");
    }
    const refusal = refusalOf(parts, user, provider);
    if (refusal) {
      const fields = { ip: caller.ip, requestId: caller.requestId, id: user.id, code: refusal.code };
      parts.refusals.note("sign-ins", fields, "a sign-in was refused");
      throw refusal;
    }
    const [signedIn] = await Promise.all([
      issueSession(parts, tx, caller, user, "password"),
      audit(parts, tx, caller, "login", user, { provider }),
      guess.isRight(tx),
    ]);
    return signedIn;
  });
}

/** Why the account may not sign in although the password is correct. */
function refusalOf(parts: AuthParts, user: UserRow, provider: "email" | "phone") {
  if (isBanned(user, new Date(parts.clock.now()))) return refuse("user_banned", undefined, { status: 400 });
  if (provider === "phone" && !user.phone_confirmed_at) return refuse("phone_not_confirmed");
  if (provider === "email" && !mayUseEmail(parts, user)) return refuse("email_not_confirmed");
  return undefined;
}

const mayUseEmail = ({ settings }: AuthParts, user: UserRow) =>
  user.email_confirmed_at !== null || settings.MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS;

/** In stored form. An invalid number belongs to nobody, and gets that answer. */
function addressOf(parts: AuthParts, given: { email: string; phone: string }): string {
  if (given.email === "") {
    requirePhones(parts, "Phone logins are disabled", 422);
    return given.phone.replace(/^\+/, "").replaceAll(" ", "");
  }
  if (!parts.settings.EXTERNAL_EMAIL_ENABLED) {
    throw refuse("email_provider_disabled", "Email logins are disabled", { status: 422 });
  }
  return given.email.toLowerCase();
}
