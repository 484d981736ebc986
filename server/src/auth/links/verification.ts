// Opening a mailed link or typing a code: confirms a sign-up, a recovery or a change of address or number, and signs the user
// in.
import type { Executor } from "../../postgres/executor.ts";
import { audit } from "../audit.ts";
import { acceptEmailChange, type HalfConfirmed } from "../account/email-change.ts";
import { acceptPhoneChange } from "../account/phone-change.ts";
import { refuse } from "../errors.ts";
import { withTypedCode } from "./codes.ts";
import { confirmEmail, confirmPhone } from "./confirmation.ts";
import { authCodeFor, startsFlow } from "./flows.ts";
import {
  deleteOneTimeTokens,
  lockOneTimeToken,
  type OneTimeToken,
  type OneTimeTokenType,
} from "./queries.ts";
import type { AuthCaller, AuthParts } from "../parts.ts";
import { findUserById, type UserRow } from "../account/queries.ts";
import { parseEmail, parsePhone } from "../http/requests.ts";
import { isBanned, issueSession, type SignedIn } from "../sessions/sessions.ts";
import { claimOf, type Confirmed } from "../sign-up/claims.ts";

type Types = Readonly<Record<string, readonly OneTimeTokenType[]>>;

/** The tokens that each verification type opens. `email` opens whichever of the two the user was sent. */
const MAIL_TOKENS: Types = {
  signup: ["confirmation_token"],
  invite: ["confirmation_token"],
  recovery: ["recovery_token"],
  magiclink: ["recovery_token"],
  email: ["confirmation_token", "recovery_token"],
  email_change: ["email_change_token_current", "email_change_token_new"],
};
const TEXT_TOKENS: Types = {
  sms: ["confirmation_token"],
  phone_change: ["phone_change_token"],
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
  readonly redirect_to?: string | undefined;
}

export type Verified = SignedIn | HalfConfirmed;

/** A code instead of a session, for the browser that requested the mail. */
export interface AuthCode {
  readonly code: string;
}

/** A link's token, or a code typed together with the address or number it was sent to. */
export function verify(parts: AuthParts, caller: AuthCaller, given: Verification): Promise<Verified> {
  if (given.type === "") throw refuse("validation_failed", "Verify requires a verification type");
  if ((given.token === "") === (given.token_hash === "")) {
    throw refuse("validation_failed", "Verify requires either a token or a token hash");
  }
  if (given.token_hash !== "") {
    if (given.email !== "" || given.phone !== "" || given.redirect_to) {
      throw refuse("validation_failed", "Only the token_hash and type should be provided");
    }
    return redeemLink(parts, caller, given.type, given.token_hash, "link", signIn);
  }
  if ((given.email === "") === (given.phone === "")) {
    throw refuse("validation_failed", "Only an email address or phone number should be provided on verify");
  }
  return redeemCode(parts, caller, given);
}

/** The link of a mail. */
export function verifyLink(
  parts: AuthParts,
  caller: AuthCaller,
  link: { type: string; token: string },
): Promise<Verified | AuthCode> {
  if (link.token === "") throw refuse("validation_failed", "Verify requires a token or a token hash");
  if (link.type === "") throw refuse("validation_failed", "Verify requires a verification type");
  if (!startsFlow(link.token)) return redeemLink(parts, caller, link.type, link.token, "link", signIn);
  return redeemLink<SignedIn | AuthCode>(parts, caller, link.type, link.token, "flow", handOverCode);
}

type Answer<T> = (
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  token: string,
) => Promise<T>;

const signIn: Answer<SignedIn> = (parts, tx, caller, user) => issueSession(parts, tx, caller, user, "otp");

const handOverCode: Answer<AuthCode> = async (parts, tx, _caller, _user, token) => ({
  code: await authCodeFor(parts, tx, token, new Date(parts.clock.now())),
});

/** The token type is checked as well as the recipient: a code sent by text opens nothing that a mail does. */
async function redeemCode(parts: AuthParts, caller: AuthCaller, given: Verification): Promise<Verified> {
  const byText = given.phone !== "";
  const tokens = byText ? TEXT_TOKENS : MAIL_TOKENS;
  const known = Object.hasOwn(tokens, given.type) ? tokens[given.type] : undefined;
  const sentTo = byText ? parsePhone(given.phone) : parseEmail(given.email);
  if (!known && byText) throw refuse("validation_failed", "Invalid sms verification type");
  const types = known ?? []; // no code sent by mail has another type, as GoTrue answers
  const { SMS_OTP_EXP, MAILER_OTP_EXP } = parts.settings;
  const expiresAfterSeconds = byText ? SMS_OTP_EXP : MAILER_OTP_EXP;
  const typed = { sentTo, types, code: given.token, expiresAfterSeconds };
  // An unknown address is answered as quickly as one with a code, and never in less than 100 ms.
  const outcome = await parts.evenly(() =>
    withTypedCode(parts, caller, typed, async (tx, token) => {
      const opened = { type: given.type, token, by: "code" } as const;
      const verified = await open(parts, tx, caller, opened);
      return "half" in verified ? verified : signIn(parts, tx, caller, verified, token.token_hash);
    }),
  );
  parts.outbox.poke();
  if (outcome === "wrong") throw refuse("otp_expired");
  return outcome.done;
}

async function redeemLink<T>(
  parts: AuthParts,
  caller: AuthCaller,
  type: string,
  given: string,
  by: Confirmed,
  answer: Answer<T>,
): Promise<T | HalfConfirmed> {
  const types = Object.hasOwn(MAIL_TOKENS, type) ? MAIL_TOKENS[type] : undefined;
  if (!types) throw refuse("validation_failed", "Invalid email verification type");
  if (given.includes("\0")) throw refuse("otp_expired", LINK_EXPIRED);
  const sentAfter = parts.clock.now() - parts.settings.MAILER_OTP_EXP * 1000;
  const outcome = await parts.database.transaction(async (tx) => {
    const token = await lockOneTimeToken(tx, parts.atRest.hash(given), types);
    if (!token || token.sent_at.getTime() <= sentAfter) throw refuse("otp_expired", LINK_EXPIRED);
    const verified = await open(parts, tx, caller, { type, token, by });
    return "half" in verified ? verified : answer(parts, tx, caller, verified, token.token_hash);
  });
  parts.outbox.poke();
  return outcome;
}

interface Opened {
  readonly type: string;
  readonly token: OneTimeToken;
  readonly by: Confirmed;
}

async function open(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  opened: Opened,
): Promise<UserRow | HalfConfirmed> {
  const now = new Date(parts.clock.now());
  const user = await findUserById(tx, opened.token.user_id, "no lock");
  if (!user || user.deleted_at) throw refuse("otp_expired");
  if (isBanned(user, now)) throw refuse("user_banned");
  const { token_type: type } = opened.token;
  switch (type) {
    case "confirmation_token":
    case "recovery_token":
      // Opened by a mail scanner or on another device, the link signs nobody in. It and its code end when the flow is
      // exchanged.
      if (opened.by !== "flow") await deleteOneTimeTokens(tx, user.id, [type]);
      return opened.type === "sms"
        ? acceptPhone(parts, tx, caller, user, opened, now)
        : acceptEmail(parts, tx, caller, user, opened, now);
    case "email_change_token_current":
    case "email_change_token_new":
      return acceptEmailChange(parts, tx, caller, user, type, now);
    case "phone_change_token":
      return acceptPhoneChange(parts, tx, caller, user, now);
    case "reauthentication_token":
      throw refuse("otp_expired"); // entered where it is required, together with the change
  }
}

/** Opening a recovery link proves the address too. */
async function acceptEmail(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  { token, by }: Opened,
  now: Date,
): Promise<UserRow> {
  if (user.email_confirmed_at) {
    await audit(parts, tx, caller, "login", user);
    return user;
  }
  const isInvited = user.invited_at !== null && !user.encrypted_password;
  const action = isInvited ? "invite_accepted" : "user_signedup";
  await audit(parts, tx, caller, action, user, { provider: "email" });
  const kept = by === "flow" ? token.token_hash : undefined;
  return confirmEmail(tx, user, now, await claimFor(parts, tx, user, token, by), kept);
}

async function acceptPhone(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  { token, by }: Opened,
  now: Date,
): Promise<UserRow> {
  if (user.phone_confirmed_at) {
    await audit(parts, tx, caller, "login", user);
    return user;
  }
  await audit(parts, tx, caller, "user_signedup", user, { provider: "phone" });
  return confirmPhone(tx, user, now, await claimFor(parts, tx, user, token, by));
}

/** A sign-up by the other channel changes nothing in an account that has confirmed an address or a number. */
const claimFor = async (parts: AuthParts, tx: Executor, user: UserRow, token: OneTimeToken, by: Confirmed) =>
  user.confirmed_at ? undefined : claimOf(parts, tx, user, token.token_hash, by);
