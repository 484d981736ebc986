// Asking for a mail again: password recovery, and resending a confirmation. An unknown address gets the same answer as a
// known one.
import { audit } from "./audit.ts";
import { prepareEmailChange } from "./email-change.ts";
import { refuse } from "./errors.ts";
import { mailLinks, prepareLinks } from "./links.ts";
import type { Asker, AuthParts } from "./parts.ts";
import { findUserByEmail } from "./queries.ts";
import { parseEmail } from "./requests.ts";

export async function recover(parts: AuthParts, asker: Asker, given: { email: string }): Promise<void> {
  if (given.email === "") throw refuse("validation_failed", "Password recovery requires an email");
  const email = parseEmail(given.email);
  const links = await parts.database.transaction(async (tx) => {
    const user = await findUserByEmail(tx, email, "for update");
    if (!user) return [];
    await audit(parts, tx, asker, "user_recovery_requested", user);
    return prepareLinks(parts, tx, user, ["recovery"]);
  });
  if (links.length > 0) await mailLinks(parts, asker, links);
}

export async function resend(
  parts: AuthParts,
  asker: Asker,
  given: { type: string; email: string; phone: string },
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
  const { type } = given;
  const links = await parts.database.transaction(async (tx) => {
    const user = await findUserByEmail(tx, email, "for update");
    if (!user) return [];
    if (type === "signup") {
      if (user.email_confirmed_at) return [];
      await audit(parts, tx, asker, "user_confirmation_requested", user, { provider: "email" });
      return prepareLinks(parts, tx, user, ["confirmation"]);
    }
    if (!user.email_change) return [];
    await audit(parts, tx, asker, "user_modified", user);
    return prepareEmailChange(parts, tx, user, user.email_change);
  });
  if (links.length > 0) await mailLinks(parts, asker, links);
}
