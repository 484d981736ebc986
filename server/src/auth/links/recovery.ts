// Requesting a mail or text again: password recovery, and resending a confirmation. An unknown address gets the same answer
// as a known one, in the same time.
import type { Executor } from "../../postgres/executor.ts";
import { audit } from "../audit.ts";
import { mailEmailChangeAgain } from "../account/email-change.ts";
import { textPhoneChangeAgain } from "../account/phone-change.ts";
import { refuse } from "../errors.ts";
import type { Challenge } from "./flows.ts";
import { prepareLink } from "./links.ts";
import { checkMailInterval, checkTextInterval } from "../limits/send-limits.ts";
import type { AuthCaller, AuthParts } from "../parts.ts";
import { findUserByEmail, findUserByPhone } from "../account/queries.ts";
import { parseEmail, parsePhone } from "../http/requests.ts";
import { prepareText } from "../texts/codes.ts";
import { requirePhones } from "../texts/phone.ts";

export async function recover(
  parts: AuthParts,
  caller: AuthCaller,
  given: { email: string },
  challenge?: Challenge,
): Promise<void> {
  requireMail(parts);
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

interface Resend {
  readonly type: string;
  readonly email: string;
  readonly phone: string;
}
type Again = (
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  address: string,
  challenge?: Challenge,
) => Promise<void>;

const AGAIN: Readonly<Record<string, { readonly by: "email" | "phone"; readonly send: Again }>> = {
  signup: { by: "email", send: confirmationAgain },
  email_change: { by: "email", send: emailChangeAgain },
  sms: { by: "phone", send: textAgain },
  phone_change: { by: "phone", send: phoneChangeAgain },
};

export async function resend(
  parts: AuthParts,
  caller: AuthCaller,
  given: Resend,
  challenge?: Challenge,
): Promise<void> {
  const again = Object.hasOwn(AGAIN, given.type) ? AGAIN[given.type] : undefined;
  if (!again) {
    throw refuse("validation_failed", "Missing one of these types: signup, email_change, sms, phone_change");
  }
  const address = addressOf(parts, given, again.by);
  await parts.evenly(() =>
    parts.database.transaction((tx) => again.send(parts, tx, caller, address, challenge)),
  );
  parts.outbox.poke();
}

function addressOf(parts: AuthParts, given: Resend, by: "email" | "phone"): string {
  if (given[by] === "") {
    const what = by === "email" ? "an email address" : "a phone number";
    throw refuse("validation_failed", `Type provided requires ${what}`);
  }
  if (given.email !== "" && given.phone !== "") {
    throw refuse("validation_failed", "Only an email address or phone number should be provided.");
  }
  if (by === "email") {
    requireMail(parts);
    return parseEmail(given.email);
  }
  requirePhones(parts, "Phone logins are disabled");
  return parsePhone(given.phone);
}

function requireMail({ settings }: AuthParts): void {
  if (settings.EXTERNAL_EMAIL_ENABLED) return;
  throw refuse("email_provider_disabled", "Email logins are disabled");
}

async function confirmationAgain(...[parts, tx, caller, email, challenge]: Parameters<Again>): Promise<void> {
  await checkMailInterval(parts, tx, "sign-up", email, caller);
  const user = await findUserByEmail(tx, email, "for update");
  if (!user || user.email_confirmed_at) return;
  await audit(parts, tx, caller, "user_confirmation_requested", user, { provider: "email" });
  // Carries no password: whoever requests another mail has not shown that they signed up.
  await prepareLink(parts, tx, caller, user, { kind: "confirmation", to: email, challenge });
}

async function emailChangeAgain(...[parts, tx, caller, email, challenge]: Parameters<Again>): Promise<void> {
  await checkMailInterval(parts, tx, "email change", email, caller);
  const user = await findUserByEmail(tx, email, "for update");
  if (!user?.email_change) return;
  await audit(parts, tx, caller, "user_modified", user);
  await mailEmailChangeAgain(parts, tx, caller, user, challenge);
}

async function textAgain(...[parts, tx, caller, phone]: Parameters<Again>): Promise<void> {
  await checkTextInterval(parts, tx, "sms", phone, caller);
  const user = await findUserByPhone(tx, phone, "for update");
  if (!user || user.phone_confirmed_at) return;
  await audit(parts, tx, caller, "user_recovery_requested", user);
  await prepareText(parts, tx, user, { kind: "sms", phone, channel: "sms" });
}

/** Looked up by the account's current number, as an address change is by the current address. */
async function phoneChangeAgain(...[parts, tx, caller, phone]: Parameters<Again>): Promise<void> {
  await checkTextInterval(parts, tx, "phone change", phone, caller);
  const user = await findUserByPhone(tx, phone, "for update");
  if (!user?.phone_change) return;
  await audit(parts, tx, caller, "user_modified", user);
  await textPhoneChangeAgain(parts, tx, caller, user);
}
