// A one-time link that an operator hands over instead of a mail: for an account whose password nobody knows yet.
import { audit, SERVICE_ACTOR } from "../audit.ts";
import { refuse } from "../errors.ts";
import { linkAddress, prepareLink } from "../links/links.ts";
import type { Caller, AuthParts } from "../parts.ts";
import { findUserByEmail } from "../account/queries.ts";
import { parseEmail } from "../http/requests.ts";
import { userView } from "../account/user-view.ts";

/** GoTrue's answer to /admin/generate_link, for the one type that is offered. */
export async function generateLink(
  parts: AuthParts,
  caller: Caller,
  given: { type: string; email: string },
): Promise<Record<string, unknown>> {
  if (given.type !== "recovery") throw refuse("validation_failed", "Only links of type recovery are offered");
  const email = parseEmail(given.email);
  return parts.database.transaction(async (tx) => {
    const user = await findUserByEmail(tx, email, "for update");
    if (!user) throw refuse("user_not_found");
    await audit(parts, tx, caller, "user_recovery_requested", SERVICE_ACTOR, {
      user_id: user.id,
      user_email: email,
    });
    const link = { kind: "recovery", to: email, mailed: false } as const;
    const { token, code } = await prepareLink(parts, tx, caller, user, link);
    return {
      ...userView(user),
      action_link: linkAddress(caller, token, "recovery"),
      email_otp: code,
      hashed_token: token,
      verification_type: "recovery",
      redirect_to: caller.redirectTo,
    };
  });
}
