// Asking for a mail again: password recovery, and resending a confirmation. An unknown address gets the same answer as a
// known one, in the same time.
import { requesterOf } from "../limits/address-limits.ts";
import { audit } from "../audit.ts";
import { prepareEmailChange } from "../account/email-change.ts";
import { refuse } from "../errors.ts";
import { takeAtLeast } from "../limits/even-answers.ts";
import type { Challenge } from "./flows.ts";
import { findSignUps, insertSignUp, type SignUpClaim, type SignUpRow } from "./queries.ts";
import { checkMailInterval, prepareLink } from "./links.ts";
import type { Caller, AuthParts } from "../parts.ts";
import type { Executor } from "../../postgres/database.ts";
import { findUserByEmail, type UserRow } from "../account/queries.ts";
import { parseEmail } from "../http/requests.ts";

export async function recover(
  parts: AuthParts,
  caller: Caller,
  given: { email: string },
  challenge?: Challenge,
): Promise<void> {
  if (given.email === "") throw refuse("validation_failed", "Password recovery requires an email");
  const email = parseEmail(given.email);
  await takeAtLeast(parts.policy.evenAnswerMs, () =>
    parts.database.transaction(async (tx) => {
      await checkMailInterval(parts, tx, "recovery", email, caller);
      const user = await findUserByEmail(tx, email, "for update");
      if (!user) return;
      await audit(parts, tx, caller, "user_recovery_requested", user);
      await prepareLink(parts, tx, caller, user, { kind: "recovery", to: email, challenge });
    }),
  );
  parts.outbox.poke();
}

export async function resend(
  parts: AuthParts,
  caller: Caller,
  given: { type: string; email: string; phone: string },
  challenge?: Challenge,
): Promise<void> {
  if (given.type === "sms" || given.type === "phone_change") throw refuse("phone_provider_disabled");
  if (given.type !== "signup" && given.type !== "email_change") {
    throw refuse("validation_failed", "Missing one of these types: signup, email_change, sms, phone_change");
  }
  if (given.email === "") throw refuse("validation_failed", "Type provided requires an email address");
  if (given.phone !== "") {
    throw refuse("validation_failed", "Only an email address or phone number should be provided.");
  }
  const email = parseEmail(given.email);
  const isSignUp = given.type === "signup";
  await takeAtLeast(parts.policy.evenAnswerMs, () =>
    parts.database.transaction(async (tx) => {
      await checkMailInterval(parts, tx, isSignUp ? "sign-up" : "email change", email, caller);
      const user = await findUserByEmail(tx, email, "for update");
      if (!user) return;
      if (isSignUp) {
        if (user.email_confirmed_at) return;
        await audit(parts, tx, caller, "user_confirmation_requested", user, { provider: "email" });
        await resendConfirmation(parts, tx, caller, user, challenge);
      } else if (user.email_change) {
        await audit(parts, tx, caller, "user_modified", user);
        await prepareEmailChange(parts, tx, caller, user, user.email_change, challenge);
      }
    }),
  );
  parts.outbox.poke();
}

async function resendConfirmation(
  parts: AuthParts,
  tx: Executor,
  caller: Caller,
  user: UserRow,
  challenge: Challenge | undefined,
): Promise<void> {
  const signUps = await findSignUps(tx, user.id);
  const wishes = { kind: "confirmation", to: user.email!, challenge } as const;
  const { token: tokenHash } = await prepareLink(parts, tx, caller, user, wishes);
  // None: an administrator made the account, and gave it its password.
  if (signUps.length === 0) return;
  const askedFrom = requesterOf(caller.ip);
  const claim = onlyClaim(signUps, askedFrom) ?? { encryptedPassword: null, metadata: {} };
  const { encryptedPassword, metadata } = claim;
  const again = { tokenHash, userId: user.id, encryptedPassword, metadata, askedFrom };
  await insertSignUp(tx, again, new Date(parts.clock.now()));
}

/** The claim that all links share; undefined when several people may have signed up, or somebody else than who asks now. */
function onlyClaim(signUps: readonly SignUpRow[], askedFrom: string): SignUpClaim | undefined {
  const passwords = new Set(signUps.map(({ encryptedPassword }) => encryptedPassword));
  const isOwn = signUps.every((signUp) => signUp.askedFrom === askedFrom);
  return isOwn && passwords.size === 1 ? signUps[0] : undefined;
}
