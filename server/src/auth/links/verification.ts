// Opening a mailed link: confirms a sign-up, a recovery or a half of an address change, and signs the user in.
import type { Executor } from "../../postgres/executor.ts";
import { audit } from "../audit.ts";
import { acceptEmailChange } from "../account/email-change.ts";
import { refuse } from "../errors.ts";
import { authCodeFor, startsFlow, tokensOf } from "./flows.ts";
import { hashCode } from "./links.ts";
import {
  deleteOneTimeTokens,
  deleteSignUps,
  lockOneTimeToken,
  type OneTimeToken,
  type OneTimeTokenType,
} from "./queries.ts";
import type { Caller, AuthParts } from "../parts.ts";
import { findUserById, updateIdentity, updateUser, type UserRow } from "../account/queries.ts";
import { parseEmail } from "../http/requests.ts";
import { isBanned, issueSession, type SignedIn } from "../sessions/sessions.ts";
import { type Claimed, claimOf } from "../sign-up/claims.ts";
import { identityData } from "../account/user-view.ts";

/** Which tokens a verification type opens. `email` is whichever of the two the user has been sent. */
const TOKENS: Readonly<Record<string, readonly OneTimeTokenType[]>> = {
  signup: ["confirmation_token"],
  invite: ["confirmation_token"],
  recovery: ["recovery_token"],
  magiclink: ["recovery_token"],
  email: ["confirmation_token", "recovery_token"],
  email_change: ["email_change_token_current", "email_change_token_new"],
};

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

/** A code instead of a session, for the browser that asked for the mail. */
export interface AuthCode {
  readonly code: string;
}

/** A link's token, or a code typed together with the address it was sent to. */
export function verify(parts: AuthParts, caller: Caller, given: Verification): Promise<Verified> {
  if (given.type === "") throw refuse("validation_failed", "Verify requires a verification type");
  if (given.token_hash !== "") {
    if (given.email !== "" || given.phone !== "") {
      throw refuse("validation_failed", "Only the token_hash and type should be provided");
    }
    return redeem(parts, caller, given.type, [given.token_hash], LINK_EXPIRED, false, signIn);
  }
  if (given.token === "") throw refuse("validation_failed", "Verify requires a token or a token hash");
  if (given.email === "" || given.phone !== "") {
    throw refuse("validation_failed", "Only an email address or phone number should be provided on verify");
  }
  const tokens = tokensOf(hashCode(parseEmail(given.email), given.token));
  return redeem(parts, caller, given.type, tokens, undefined, false, signIn);
}

/** The link of a mail, whose token is the stored hash itself. */
export function verifyLink(
  parts: AuthParts,
  caller: Caller,
  link: { type: string; token: string },
): Promise<Verified | AuthCode> {
  if (link.token === "") throw refuse("validation_failed", "Verify requires a token or a token hash");
  if (link.type === "") throw refuse("validation_failed", "Verify requires a verification type");
  const isFlow = startsFlow(link.token);
  return redeem<SignedIn | AuthCode>(
    parts,
    caller,
    link.type,
    [link.token],
    LINK_EXPIRED,
    isFlow,
    isFlow ? handOverCode : signIn,
  );
}

type Answer<T> = (parts: AuthParts, tx: Executor, caller: Caller, user: UserRow, token: string) => Promise<T>;

const signIn: Answer<SignedIn> = (parts, tx, caller, user) => issueSession(parts, tx, caller, user, "otp");

const handOverCode: Answer<AuthCode> = async (parts, tx, _caller, _user, token) => ({
  code: await authCodeFor(parts, tx, token, new Date(parts.clock.now())),
});

async function redeem<T>(
  parts: AuthParts,
  caller: Caller,
  type: string,
  tokens: readonly string[],
  message: string | undefined,
  isFlow: boolean,
  answer: Answer<T>,
): Promise<T | "half confirmed"> {
  const types = Object.hasOwn(TOKENS, type) ? TOKENS[type] : undefined;
  if (!types) throw refuse("validation_failed", "Invalid email verification type");
  if (tokens.some((token) => token.includes("\0"))) throw refuse("otp_expired", message);
  const now = new Date(parts.clock.now());
  return parts.database.transaction(async (tx) => {
    const token = await lockOneTimeToken(tx, tokens.map(parts.atRest.hash), types);
    const user = token && (await findUserById(tx, token.user_id, "no lock"));
    if (!token || !user) throw refuse("otp_expired", message);
    if (token.sent_at.getTime() + parts.settings.MAILER_OTP_EXP * 1000 <= now.getTime()) {
      throw refuse("otp_expired", message);
    }
    if (isBanned(user, now)) throw refuse("user_banned");

    const verified = await accept(parts, tx, caller, user, token, isFlow, now);
    return verified === "half confirmed" ? verified : answer(parts, tx, caller, verified, token.token_hash);
  });
}

async function accept(
  parts: AuthParts,
  tx: Executor,
  caller: Caller,
  user: UserRow,
  { token_type: type, token_hash }: OneTimeToken,
  isFlow: boolean,
  now: Date,
): Promise<UserRow | "half confirmed"> {
  switch (type) {
    case "confirmation_token":
    case "recovery_token": {
      await deleteOneTimeTokens(tx, user.id, [type]);
      // Opening a recovery link proves the address too.
      if (user.email_confirmed_at) {
        await audit(parts, tx, caller, "login", user);
        return user;
      }
      const action = user.invited_at ? "invite_accepted" : "user_signedup";
      await audit(parts, tx, caller, action, user, { provider: "email" });
      return confirmEmail(tx, user, now, await claimOf(parts, tx, user, token_hash, isFlow));
    }
    case "email_change_token_current":
    case "email_change_token_new":
      return acceptEmailChange(parts, tx, caller, user, type, now);
    default:
      throw refuse("otp_expired"); // opened by typing it where it is asked for, not as a link
  }
}

/** Marks the address as the user's own. `claim` replaces password and metadata. */
export async function confirmEmail(
  tx: Executor,
  user: UserRow,
  now: Date,
  claim?: Claimed,
): Promise<UserRow> {
  const metadata = claim
    ? { ...claim.metadata, ...identityData(user.id, user.email!, true) }
    : { ...user.raw_user_meta_data, email_verified: true };
  await updateUser(
    tx,
    user.id,
    {
      email_confirmed_at: now,
      raw_user_meta_data: metadata,
      ...(claim && { encrypted_password: claim.encryptedPassword }),
    },
    now,
  );
  await updateIdentity(tx, user.id, "email", { email_verified: true }, now);
  await deleteOneTimeTokens(tx, user.id, ["confirmation_token"]);
  await deleteSignUps(tx, user.id, claim?.waiting);
  return (await findUserById(tx, user.id, "no lock"))!;
}
