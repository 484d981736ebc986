// Mailed links: a one-time token in the database and the mail that carries it. The mail goes out after the transaction
// has committed, because a slow mail server must not hold connections; when it fails, what was prepared is taken back.
import { createHash, randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Executor } from "../postgres/database.ts";
import { refuse } from "./errors.ts";
import { composeLetter, type MailKind } from "./mails.ts";
import type { Asker, AuthParts } from "./parts.ts";
import {
  deleteOneTimeTokens,
  type OneTimeTokenType,
  putOneTimeToken,
  updateUser,
  type UserChanges,
  type UserRow,
} from "./queries.ts";

/** A link that is in the database and still has to be mailed. */
export interface PreparedLink {
  readonly kind: MailKind;
  readonly to: string;
  readonly hash: string;
  readonly user: UserRow;
  readonly newEmail: string;
}

interface KindFacts {
  readonly token: OneTimeTokenType;
  readonly sentAt: "confirmation_sent_at" | "recovery_sent_at" | "email_change_sent_at";
  /** `type` in the link's address. */
  readonly verification: "signup" | "recovery" | "email_change";
  readonly failure: string;
}

const KINDS: Record<MailKind, KindFacts> = {
  confirmation: {
    token: "confirmation_token",
    sentAt: "confirmation_sent_at",
    verification: "signup",
    failure: "Error sending confirmation email",
  },
  recovery: {
    token: "recovery_token",
    sentAt: "recovery_sent_at",
    verification: "recovery",
    failure: "Error sending recovery email",
  },
  email_change_current: {
    token: "email_change_token_current",
    sentAt: "email_change_sent_at",
    verification: "email_change",
    failure: "Error sending email change email",
  },
  email_change_new: {
    token: "email_change_token_new",
    sentAt: "email_change_sent_at",
    verification: "email_change",
    failure: "Error sending email change email",
  },
};

/** The stored form of a code typed by hand and, as in GoTrue, the token of the link. */
export const hashCode = (email: string, code: string) =>
  createHash("sha224")
    .update(email + code)
    .digest("hex");

/** Ten digits, the most GoTrue allows: guessing within a link's lifetime is then out of reach without further locks. */
const newCode = () => String(randomInt(10 ** 10)).padStart(10, "0");

/** Puts fresh links of one kind, or of both halves of an address change, into the caller's transaction. */
export async function prepareLinks(
  parts: AuthParts,
  tx: Executor,
  user: UserRow,
  kinds: readonly [MailKind, ...MailKind[]],
  newEmail = "",
): Promise<PreparedLink[]> {
  const now = new Date(parts.clock.now());
  const { sentAt } = KINDS[kinds[0]];
  checkInterval(user[sentAt], now, parts.policy.mailIntervalSeconds);
  const links = kinds.map((kind) => {
    const to = kind === "email_change_new" ? newEmail : user.email!;
    return { kind, to, hash: hashCode(to, newCode()), user, newEmail };
  });
  await Promise.all([
    updateUser(tx, user.id, { [sentAt]: now }, now),
    ...links.map(({ kind, hash, to }) =>
      putOneTimeToken(tx, { userId: user.id, type: KINDS[kind].token, hash, relatesTo: to }, now),
    ),
  ]);
  return links;
}

function checkInterval(last: Date | null, now: Date, seconds: number): void {
  if (!last) return;
  const left = Math.ceil((last.getTime() + seconds * 1000 - now.getTime()) / 1000);
  if (left > 0) {
    throw refuse(
      "over_email_send_rate_limit",
      `For security purposes, you can only request this after ${left} seconds.`,
    );
  }
}

/**
 * Mails the links. If one cannot be sent, runs `undo` (by default: forget the links and that they were sent) in a
 * transaction and refuses with GoTrue's 500.
 */
export async function mailLinks(
  parts: AuthParts,
  asker: Asker,
  links: readonly PreparedLink[],
  undo: (tx: Executor) => Promise<void> = (tx) => forgetLinks(parts, tx, links),
): Promise<void> {
  try {
    await Promise.all(links.map((link) => mailLink(parts, asker, link)));
  } catch (cause) {
    const failure = KINDS[links[0]!.kind].failure;
    parts.log.error({ err: cause, requestId: asker.requestId }, failure);
    await parts.database.transaction(undo);
    throw refuse("unexpected_failure", failure, { cause });
  }
}

async function mailLink(parts: AuthParts, asker: Asker, link: PreparedLink): Promise<void> {
  const address = new URL(`${asker.apiUrl}/auth/v1/verify`);
  address.searchParams.set("token", link.hash);
  address.searchParams.set("type", KINDS[link.kind].verification);
  address.searchParams.set("redirect_to", asker.redirectTo);
  const emails = { email: link.user.email!, newEmail: link.newEmail };
  const minutes = Math.round(parts.policy.linkSeconds / 60);
  const letter = await composeLetter(link.kind, emails, address.href, minutes);
  const timer = new AbortController();
  await Promise.race([
    parts.mailer.send({ to: link.to, ...letter }),
    sleep(parts.policy.mailTimeoutSeconds * 1000, undefined, { signal: timer.signal }).then(() => {
      throw new Error("The mail server did not answer in time");
    }),
  ]).finally(() => timer.abort());
}

export async function forgetLinks(
  parts: AuthParts,
  tx: Executor,
  links: readonly PreparedLink[],
  further: UserChanges = {},
): Promise<void> {
  const { user, kind } = links[0]!;
  const now = new Date(parts.clock.now());
  const { sentAt } = KINDS[kind];
  await Promise.all([
    updateUser(tx, user.id, { [sentAt]: user[sentAt], ...further }, now),
    deleteOneTimeTokens(
      tx,
      user.id,
      links.map((link) => KINDS[link.kind].token),
    ),
  ]);
}
