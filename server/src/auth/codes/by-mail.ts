// A link and a code by mail instead of a password, for people with an account and for people who get one by using it.
import { randomUUID } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import { findUserByEmail, type UserRow } from "../account/queries.ts";
import { identityData } from "../account/user-view.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import { parseEmail } from "../http/requests.ts";
import { checkMailInterval } from "../limits/send-limits.ts";
import type { Challenge } from "../links/flows.ts";
import { prepareLink } from "../links/links.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { keepCodeSignUp, newCodeAccount } from "./new-account.ts";

export interface MailCode {
  readonly email: string;
  readonly create_user: boolean;
  readonly data?: Record<string, unknown> | undefined;
}

/**
 * Known and unknown addresses get the same mail and the same answer. Only a caller who does not want an account created
 * learns that there is none (otp_disabled), as in GoTrue.
 */
export async function mailCode(
  parts: AuthParts,
  caller: AuthCaller,
  given: MailCode,
  challenge?: Challenge,
): Promise<void> {
  const { settings } = parts;
  const off = (words: string) => refuse("email_provider_disabled", words, { status: 422 });
  if (!settings.EXTERNAL_EMAIL_ENABLED) throw off("Email logins are disabled");
  if (!settings.EXTERNAL_EMAIL_MAGIC_LINK_ENABLED) throw off("Login with magic link is disabled");
  const email = parseEmail(given.email);
  const metadata = given.data ?? {};
  const now = new Date(parts.clock.now());
  await parts.evenly(() =>
    parts.database.transaction(async (tx) => {
      await checkMailInterval(parts, tx, "code", email, caller);
      const known = await findUserByEmail(tx, email, "for update");
      if (!known && !given.create_user) throw refuse("otp_disabled");
      const user = known ?? (await newUser(parts, tx, caller, email, metadata, now));
      if (user.email_confirmed_at) {
        await audit(parts, tx, caller, "user_recovery_requested", user);
        await prepareLink(parts, tx, caller, user, { kind: "magiclink", to: email, challenge });
        return;
      }
      await audit(parts, tx, caller, "user_confirmation_requested", user, { provider: "email" });
      const options = { kind: "sign_up_code", to: email, challenge } as const;
      const { stored: tokenHash } = await prepareLink(parts, tx, caller, user, options);
      await keepCodeSignUp(tx, user, { isNew: !known, tokenHash, metadata }, now);
    }),
  );
  parts.outbox.poke();
}

function newUser(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  email: string,
  metadata: Record<string, unknown>,
  now: Date,
): Promise<UserRow> {
  const id = randomUUID();
  const isConfirmed = parts.settings.MAILER_AUTOCONFIRM;
  const account = {
    ...{ id, email, metadata, emailConfirmedAt: isConfirmed ? now : null },
    provider: "email",
    identity: identityData(id, email, isConfirmed),
    find: () => findUserByEmail(tx, email, "for update"),
  } as const;
  return newCodeAccount(parts, tx, caller, account, now);
}
