// A link and a code by mail instead of a password, for who has an account and for who will have one by using it.
import { randomUUID } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import { createUser } from "../account/new-user.ts";
import { findUserByEmail, type UserRow } from "../account/queries.ts";
import { identityData } from "../account/user-view.ts";
import { audit } from "../audit.ts";
import { refuse } from "../errors.ts";
import { parseEmail } from "../http/requests.ts";
import { checkMailInterval } from "../limits/send-limits.ts";
import type { Challenge } from "../links/flows.ts";
import { prepareLink } from "../links/links.ts";
import { findSignUps, insertSignUp } from "../links/queries.ts";
import type { AuthParts, Caller } from "../parts.ts";

export interface MailCode {
  readonly email: string;
  readonly create_user: boolean;
  readonly data?: Record<string, unknown> | undefined;
}

/**
 * Known and unknown addresses are sent the same mail and answered alike. Only who asks for no account to be made is told that
 * there is none, as by GoTrue: otp_disabled.
 */
export async function mailCode(
  parts: AuthParts,
  caller: Caller,
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
      const wishes = { kind: "sign_up_code", to: email, challenge } as const;
      const { stored: tokenHash } = await prepareLink(parts, tx, caller, user, wishes);
      // An account that an administrator made has no sign-up, and keeps what it was made with.
      if (known && (await findSignUps(tx, user.id)).length === 0) return;
      const signUp = { tokenHash, userId: user.id, encryptedPassword: null, metadata };
      await insertSignUp(tx, signUp, now);
    }),
  );
  parts.outbox.poke();
}

async function newUser(
  parts: AuthParts,
  tx: Executor,
  caller: Caller,
  email: string,
  metadata: Record<string, unknown>,
  now: Date,
): Promise<UserRow> {
  if (parts.settings.DISABLE_SIGNUP) throw refuse("signup_disabled");
  const id = randomUUID();
  const isConfirmed = parts.settings.MAILER_AUTOCONFIRM;
  const identity = identityData(id, email, isConfirmed);
  const account = {
    id,
    email,
    emailConfirmedAt: isConfirmed ? now : null,
    userMetadata: { ...metadata, ...identity },
    identities: [{ provider: "email", data: identity }],
  };
  const created = await createUser(parts, tx, caller, account, now);
  // Of two requests at once for a new address, the second finds what the first has made.
  const user = created ?? (await findUserByEmail(tx, email, "for update"));
  if (!user) throw refuse("unexpected_failure", "Database error finding user");
  return user;
}
