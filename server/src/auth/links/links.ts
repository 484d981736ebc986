// Mailed links: a one-time token in the database and the mail that carries it, both written in the caller's transaction.
import { createHash, randomInt } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import { refuse } from "../errors.ts";
import { sendEmailHook } from "../hooks/send-hooks.ts";
import { type Challenge, linkToken, openFlow } from "./flows.ts";
import { type OneTimeTokenType, putOneTimeToken } from "./queries.ts";
import { composeLetter, composeNotice, type MailKind, type NoticeKind } from "../mails/letters.ts";
import { noteMailRequest } from "../mails/queries.ts";
import type { Caller, AuthParts } from "../parts.ts";
import { updateUser, type UserRow } from "../account/queries.ts";

interface KindFacts {
  readonly token: OneTimeTokenType;
  readonly sentAt: "confirmation_sent_at" | "recovery_sent_at" | "email_change_sent_at";
  /** `type` in the link's address. */
  readonly verification: "signup" | "invite" | "magiclink" | "recovery" | "email_change";
}

const KINDS: Record<MailKind, KindFacts> = {
  invite: { token: "confirmation_token", sentAt: "confirmation_sent_at", verification: "invite" },
  magiclink: { token: "recovery_token", sentAt: "recovery_sent_at", verification: "magiclink" },
  confirmation: { token: "confirmation_token", sentAt: "confirmation_sent_at", verification: "signup" },
  recovery: { token: "recovery_token", sentAt: "recovery_sent_at", verification: "recovery" },
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
};

/** The stored form of a code typed by hand and, as in GoTrue, the token of the link. */
export const hashCode = (email: string, code: string) =>
  createHash("sha224")
    .update(email + code)
    .digest("hex");

/**
 * 40 digits, 132 bits. GoTrue's codes are short because people type them; ours are only ever part of a link, and many links may
 * be good at once.
 */
const newCode = () => Array.from({ length: 4 }, () => String(randomInt(10 ** 10)).padStart(10, "0")).join("");

export interface LinkWishes {
  readonly kind: MailKind;
  readonly to: string;
  readonly newEmail?: string;
  readonly challenge?: Challenge | undefined;
  /** False when nobody is to receive the link. */
  readonly mailed?: boolean;
}

/** A link's token, and the code it is the hash of. */
export interface FreshLink {
  readonly token: string;
  /** What the database keeps of the token. */
  readonly stored: string;
  readonly code: string;
}

/** Puts a fresh link and its mail into the caller's transaction. */
export async function prepareLink(
  parts: AuthParts,
  tx: Executor,
  caller: Caller,
  user: UserRow,
  { kind, to, newEmail = "", challenge, mailed = true }: LinkWishes,
): Promise<FreshLink> {
  const now = new Date(parts.clock.now());
  const { sentAt, token: type, verification } = KINDS[kind];
  const code = newCode();
  const token = linkToken(hashCode(to, code), challenge);
  await updateUser(tx, user.id, { [sentAt]: now }, now);
  const expiredBefore = new Date(now.getTime() - parts.settings.MAILER_OTP_EXP * 1000);
  const stored = parts.atRest.hash(token);
  await putOneTimeToken(tx, { userId: user.id, type, hash: stored, relatesTo: to }, now, expiredBefore);
  if (challenge) await openFlow(tx, stored, user.id, challenge, now);
  if (!mailed) return { token, stored, code };

  const email_data = {
    ...{ token: code, token_hash: token, token_new: "", token_hash_new: "" },
    ...{ redirect_to: caller.redirectTo, site_url: parts.siteUrl, email_action_type: verification },
  };
  if (await sendEmailHook(parts, tx, caller, user, email_data)) return { token, stored, code };
  const address = linkAddress(caller, token, verification);
  const minutes = Math.round(parts.settings.MAILER_OTP_EXP / 60);
  const letter = await composeLetter(kind, { email: user.email!, newEmail }, address, minutes);
  await parts.outbox.put(tx, { to, ...letter }, deadline(parts, now));
  return { token, stored, code };
}

/** Where a link's token is opened. */
export function linkAddress(caller: Caller, token: string, type: string): string {
  const address = new URL(`${caller.apiUrl}/auth/v1/verify`);
  address.searchParams.set("token", token);
  address.searchParams.set("type", type);
  address.searchParams.set("redirect_to", caller.redirectTo);
  return address.href;
}

/** A mail without a token, to the owner of an address that somebody else entered. */
export async function prepareNotice(
  parts: AuthParts,
  tx: Executor,
  kind: NoticeKind,
  to: string,
): Promise<void> {
  const letter = await composeNotice(kind, to, `${parts.siteUrl}/auth`);
  await parts.outbox.put(tx, { to, ...letter }, deadline(parts, new Date(parts.clock.now())));
}

const deadline = (parts: AuthParts, now: Date) =>
  new Date(now.getTime() + parts.settings.MAILER_OTP_EXP * 1000);

/** How many strangers can each have one mail sent to an address in a minute. */
const LANES = 16;

/** Callers from elsewhere are counted separately: a stranger's request must not hold back the owner's mail. */
function laneOf({ ip }: Caller): number {
  return (
    createHash("sha256")
      .update(ip ?? "")
      .digest()[0]! % LANES
  );
}

/** Refuses when a mail of this kind was requested less than a minute ago, whether or not anybody has the address. */
export async function checkMailInterval(
  parts: AuthParts,
  tx: Executor,
  kind: "sign-up" | "recovery" | "email change",
  email: string,
  caller: Caller,
): Promise<void> {
  const now = parts.clock.now();
  const interval = parts.settings.SMTP_MAX_FREQUENCY * 1000;
  const addressHash = createHash("sha256")
    .update(`${email} ${laneOf(caller)}`)
    .digest("base64url");
  const last = await noteMailRequest(tx, { kind, addressHash }, new Date(now), new Date(now - interval));
  if (!last) return;
  const left = Math.max(1, Math.ceil((last.getTime() + interval - now) / 1000));
  throw refuse(
    "over_email_send_rate_limit",
    `For security purposes, you can only request this after ${left} seconds.`,
  );
}
