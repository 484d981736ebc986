// A nonce for actions that a stranger at a signed-in computer must not take: a code to the account's own address or number.
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import { checkMailInterval, checkTextInterval } from "../limits/send-limits.ts";
import { withTypedCode } from "../links/codes.ts";
import { prepareLink } from "../links/links.ts";
import { deleteOneTimeTokens } from "../links/queries.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { prepareText } from "../texts/codes.ts";
import { requirePhones } from "../texts/phone.ts";
import { requireOwnAccount } from "./require-account.ts";
import { findUserById, type UserRow } from "./queries.ts";

export async function reauthenticate(parts: AuthParts, caller: AuthCaller): Promise<void> {
  const { user } = await requireOwnAccount(parts, caller);
  if (!user.email && !user.phone) {
    throw refuse(
      "validation_failed",
      "Reauthentication requires the user to have an email or a phone number",
    );
  }
  if (user.email && !user.email_confirmed_at) {
    throw refuse("email_not_confirmed", "Please verify your email first.", { status: 422 });
  }
  if (!user.email && !user.phone_confirmed_at) {
    throw refuse("phone_not_confirmed", "Please verify your phone first.", { status: 422 });
  }
  if (!user.email) requirePhones(parts, "Phone logins are disabled");
  await parts.database.transaction(async (tx) => {
    const current = await findUserById(tx, user.id, "for update");
    if (!current) throw refuse("user_not_found");
    await audit(parts, tx, caller, "user_reauthenticate_requested", current);
    const { email, phone } = current;
    if (email) {
      await checkMailInterval(parts, tx, "reauthentication", email, caller);
      await prepareLink(parts, tx, caller, current, { kind: "reauthentication", to: email });
    } else {
      await checkTextInterval(parts, tx, "reauthentication", phone!, caller);
      const options = { kind: "reauthentication", phone: phone!, channel: "sms" } as const;
      await prepareText(parts, tx, current, options);
    }
  });
  parts.outbox.poke();
}

/** Uses the nonce up. Refuses one that is wrong, expired, used or another user's. */
export async function checkNonce(
  parts: AuthParts,
  caller: AuthCaller,
  user: UserRow,
  nonce: string,
): Promise<void> {
  const { MAILER_OTP_EXP, SMS_OTP_EXP } = parts.settings;
  const typed = {
    sentTo: user.email || user.phone || "",
    types: ["reauthentication_token"] as const,
    code: nonce,
    expiresAfterSeconds: user.email ? MAILER_OTP_EXP : SMS_OTP_EXP,
    userId: user.id,
  };
  const outcome = await withTypedCode(parts, caller, typed, (tx) =>
    deleteOneTimeTokens(tx, user.id, ["reauthentication_token"]),
  );
  if (outcome === "wrong") throw refuse("reauthentication_not_valid");
}
