// Asking for a mail again: password recovery, and resending a confirmation. An unknown address gets the same answer as a
// known one, in the same time.
import { audit } from "../audit.ts";
import { mailEmailChangeAgain } from "../account/email-change.ts";
import { refuse } from "../errors.ts";
import type { Challenge } from "./flows.ts";
import { checkMailInterval, prepareLink } from "./links.ts";
import type { Caller, AuthParts } from "../parts.ts";
import { findUserByEmail } from "../account/queries.ts";
import { parseEmail } from "../http/requests.ts";

export async function recover(
  parts: AuthParts,
  caller: Caller,
  given: { email: string },
  challenge?: Challenge,
): Promise<void> {
  if (given.email === "") throw refuse("validation_failed", "Password recovery requires an email");
  const email = parseEmail(given.email);
  await parts.evenly(() =>
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
  await parts.evenly(() =>
    parts.database.transaction(async (tx) => {
      await checkMailInterval(parts, tx, isSignUp ? "sign-up" : "email change", email, caller);
      const user = await findUserByEmail(tx, email, "for update");
      if (!user) return;
      if (isSignUp) {
        if (user.email_confirmed_at) return;
        await audit(parts, tx, caller, "user_confirmation_requested", user, { provider: "email" });
        // Carries no password: whoever asks for another mail has not shown that they signed up.
        await prepareLink(parts, tx, caller, user, { kind: "confirmation", to: email, challenge });
      } else if (user.email_change) {
        await audit(parts, tx, caller, "user_modified", user);
        await mailEmailChangeAgain(parts, tx, caller, user, challenge);
      }
    }),
  );
  parts.outbox.poke();
}
