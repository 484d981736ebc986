// Mailed links: a one-time token in the database and the mail that carries it with its short code, both written in the caller's
// transaction.
import { randomBytes } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import { type Challenge, linkToken, openFlow } from "./flows.ts";
import { newDigits, storedCode } from "./codes.ts";
import { type OneTimeTokenType, putOneTimeToken } from "./queries.ts";
import { composeLetter, composeNotice } from "../mails/letters.ts";
import type { MailKind, NoticeKind } from "../mails/words.ts";
import type { AuthCaller, AuthParts } from "../parts.ts";
import { updateUser, type UserRow } from "../account/queries.ts";

interface KindFacts {
  readonly token: OneTimeTokenType;
  readonly sentAt:
    | "confirmation_sent_at"
    | "recovery_sent_at"
    | "email_change_sent_at"
    | "reauthentication_sent_at";
  /** `type` in the link's address. */
  readonly verification: "signup" | "invite" | "recovery" | "magiclink" | "email_change" | "reauthentication";
}

const CONFIRMATION = { token: "confirmation_token", sentAt: "confirmation_sent_at" } as const;
const RECOVERY = { token: "recovery_token", sentAt: "recovery_sent_at" } as const;

const KINDS: Record<MailKind, KindFacts> = {
  confirmation: { ...CONFIRMATION, verification: "signup" },
  sign_up_code: { ...CONFIRMATION, verification: "signup" },
  invite: { ...CONFIRMATION, verification: "invite" },
  recovery: { ...RECOVERY, verification: "recovery" },
  // As in GoTrue, a magic link is a recovery with different wording.
  magiclink: { ...RECOVERY, verification: "magiclink" },
  email_change_current: {
    token: "email_change_token_current",
    sentAt: "email_change_sent_at",
    verification: "email_change",
  },
  email_change_new: {
    token: "email_change_token_new",
    sentAt: "email_change_sent_at",
    verification: "email_change",
  },
  reauthentication: {
    token: "reauthentication_token",
    sentAt: "reauthentication_sent_at",
    verification: "reauthentication",
  },
};

export interface LinkOptions {
  readonly kind: MailKind;
  readonly to: string;
  readonly newEmail?: string;
  readonly challenge?: Challenge | undefined;
  /** False when the link is not mailed to anyone. */
  readonly mailed?: boolean;
}

/** A link's token, and the code that can be typed instead. */
export interface FreshLink {
  readonly token: string;
  /** The stored form of the token. */
  readonly stored: string;
  readonly code: string;
}

/** Puts a fresh link and its mail into the caller's transaction. */
export async function prepareLink(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  { kind, to, newEmail = "", challenge, mailed = true }: LinkOptions,
): Promise<FreshLink> {
  const now = new Date(parts.clock.now());
  const { sentAt, token: type, verification } = KINDS[kind];
  const { MAILER_OTP_EXP: seconds, MAILER_OTP_LENGTH: digits } = parts.settings;
  const link = await putToken(parts, tx, { user, type, sentTo: to, digits, seconds, challenge });
  await updateUser(tx, user.id, { [sentAt]: now }, now);
  if (!mailed) return link;

  const letter = await composeLetter(kind, parts.brand, {
    email: user.email ?? newEmail,
    newEmail,
    link: linkAddress(caller, link.token, verification),
    code: link.code,
    minutes: Math.round(seconds / 60),
  });
  await parts.outbox.put(tx, { to, ...letter }, deadline(parts, now));
  return link;
}

/** Stores a token for the link and a code that can be typed. */
export async function putToken(
  parts: AuthParts,
  tx: Executor,
  options: {
    readonly user: UserRow;
    readonly type: OneTimeTokenType;
    readonly sentTo: string;
    readonly digits: number;
    /** How long both are valid. */
    readonly seconds: number;
    readonly challenge?: Challenge | undefined;
  },
): Promise<FreshLink> {
  const { user, type, sentTo, challenge } = options;
  const now = new Date(parts.clock.now());
  const token = linkToken(randomBytes(28).toString("hex"), challenge);
  const code = newDigits(options.digits);
  const stored = parts.atRest.hash(token);
  const row = { userId: user.id, type, hash: stored, relatesTo: sentTo };
  const codeHash = storedCode(parts, sentTo, code);
  await putOneTimeToken(tx, { ...row, codeHash }, now, new Date(now.getTime() - options.seconds * 1000));
  if (challenge) await openFlow(tx, stored, user.id, challenge, now);
  return { token, stored, code };
}

/** Where a link's token is opened. */
export function linkAddress(caller: AuthCaller, token: string, type: string): string {
  const address = new URL(`${caller.apiUrl}/auth/v1/verify`);
  address.searchParams.set("token", token);
  address.searchParams.set("type", type);
  address.searchParams.set("redirect_to", caller.redirectTo);
  return address.href;
}

/** A mail without a token: what happened to an account, or what someone tried with its owner's address. */
export async function prepareNotice(
  parts: AuthParts,
  tx: Executor,
  kind: NoticeKind,
  to: string,
  newAddress = "",
): Promise<void> {
  const letter = await composeNotice(kind, parts.brand, { email: to, newAddress }, `${parts.siteUrl}/auth`);
  await parts.outbox.put(tx, { to, ...letter }, deadline(parts, new Date(parts.clock.now())));
}

const deadline = (parts: AuthParts, now: Date) =>
  new Date(now.getTime() + parts.settings.MAILER_OTP_EXP * 1000);
