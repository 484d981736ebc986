// Opening a mailed link: confirms a sign-up, a recovery or a half of an address change, and signs the user in.
import type { Executor } from "../postgres/database.ts";
import { audit } from "./audit.ts";
import { acceptEmailChange } from "./email-change.ts";
import { refuse } from "./errors.ts";
import { hashCode } from "./links.ts";
import type { Asker, AuthParts } from "./parts.ts";
import {
  deleteOneTimeTokens,
  findUserById,
  lockOneTimeToken,
  type OneTimeTokenType,
  updateEmailIdentity,
  updateUser,
  type UserRow,
} from "./queries.ts";
import { parseEmail } from "./requests.ts";
import { isBanned, openSession, type SignedIn } from "./sessions.ts";

/** Which tokens a verification type opens. `email` is whichever of the two the user has been sent. */
const TOKENS: Readonly<Record<string, readonly OneTimeTokenType[]>> = {
  signup: ["confirmation_token"],
  invite: ["confirmation_token"],
  recovery: ["recovery_token"],
  magiclink: ["recovery_token"],
  email: ["confirmation_token", "recovery_token"],
  email_change: ["email_change_token_current", "email_change_token_new"],
};

const SENT_AT = {
  confirmation_token: "confirmation_sent_at",
  recovery_token: "recovery_sent_at",
  email_change_token_current: "email_change_sent_at",
  email_change_token_new: "email_change_sent_at",
} as const;

export const HALF_CONFIRMED =
  "Confirmation link accepted. Please proceed to confirm link sent to the other email";
const LINK_EXPIRED = "Email link is invalid or has expired";

export interface Verification {
  readonly type: string;
  readonly token: string;
  readonly token_hash: string;
  readonly email: string;
  readonly phone: string;
}

/** "half confirmed" when an address change still waits for the other address. */
export type Verified = SignedIn | "half confirmed";

/** A link's token, or a code typed together with the address it was sent to. */
export function verify(parts: AuthParts, asker: Asker, given: Verification): Promise<Verified> {
  if (given.type === "") throw refuse("validation_failed", "Verify requires a verification type");
  if (given.token_hash !== "") {
    if (given.email !== "" || given.phone !== "") {
      throw refuse("validation_failed", "Only the token_hash and type should be provided");
    }
    return redeem(parts, asker, given.type, given.token_hash, LINK_EXPIRED);
  }
  if (given.token === "") throw refuse("validation_failed", "Verify requires a token or a token hash");
  if (given.email === "" || given.phone !== "") {
    throw refuse("validation_failed", "Only an email address or phone number should be provided on verify");
  }
  return redeem(parts, asker, given.type, hashCode(parseEmail(given.email), given.token));
}

/** The link of a mail, whose token is the stored hash itself. */
export function verifyLink(
  parts: AuthParts,
  asker: Asker,
  link: { type: string; token: string },
): Promise<Verified> {
  if (link.token === "") throw refuse("validation_failed", "Verify requires a token or a token hash");
  if (link.type === "") throw refuse("validation_failed", "Verify requires a verification type");
  return redeem(parts, asker, link.type, link.token, LINK_EXPIRED);
}

async function redeem(
  parts: AuthParts,
  asker: Asker,
  type: string,
  hash: string,
  message?: string,
): Promise<Verified> {
  const types = Object.hasOwn(TOKENS, type) ? TOKENS[type] : undefined;
  if (!types) throw refuse("validation_failed", "Invalid email verification type");
  if (hash.includes("\0")) throw refuse("otp_expired", message);
  const now = new Date(parts.clock.now());
  return parts.database.transaction(async (tx) => {
    const token = await lockOneTimeToken(tx, hash, types);
    const user = token && (await findUserById(tx, token.user_id, "no lock"));
    if (!token || !user) throw refuse("otp_expired", message);
    const sentAt = user[SENT_AT[token.token_type]];
    if (!sentAt || sentAt.getTime() + parts.policy.linkSeconds * 1000 <= now.getTime()) {
      throw refuse("otp_expired", message);
    }
    if (isBanned(user, now)) throw refuse("user_banned");

    const verified = await accept(parts, tx, asker, user, token.token_type, now);
    return verified === "half confirmed" ? verified : openSession(parts, tx, asker, verified, "otp");
  });
}

async function accept(
  parts: AuthParts,
  tx: Executor,
  asker: Asker,
  user: UserRow,
  type: OneTimeTokenType,
  now: Date,
): Promise<UserRow | "half confirmed"> {
  switch (type) {
    case "confirmation_token":
    case "recovery_token": {
      await deleteOneTimeTokens(tx, user.id, [type]);
      // Opening a recovery link proves the address too.
      if (user.email_confirmed_at) {
        await audit(parts, tx, asker, "login", user);
        return user;
      }
      await audit(parts, tx, asker, "user_signedup", user, { provider: "email" });
      return confirmEmail(tx, user, now);
    }
    case "email_change_token_current":
    case "email_change_token_new":
      return acceptEmailChange(parts, tx, asker, user, type, now);
  }
}

/** Marks the address as the user's own. */
export async function confirmEmail(tx: Executor, user: UserRow, now: Date): Promise<UserRow> {
  const metadata = { ...user.raw_user_meta_data, email_verified: true };
  await Promise.all([
    updateUser(tx, user.id, { email_confirmed_at: now, raw_user_meta_data: metadata }, now),
    updateEmailIdentity(tx, user.id, { email_verified: true }, now),
    deleteOneTimeTokens(tx, user.id, ["confirmation_token"]),
  ]);
  return (await findUserById(tx, user.id, "no lock"))!;
}
