// How often mails and text messages are sent: to one address once a minute, and up to an hourly total if the operator has
// set one. Known and unknown addresses are counted alike, before anyone looks up their owner.
import { createHash } from "node:crypto";
import type { Executor } from "../../postgres/executor.ts";
import { refuse } from "../errors.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { noteMailRequest } from "./queries.ts";

/** How many strangers can each have one message a minute sent to an address. */
const LANES = 16;

/** Callers from different addresses are counted separately: a stranger's request must not hold back the owner's mail. */
function laneOf({ ip }: AuthCaller): number {
  return (
    createHash("sha256")
      .update(ip ?? "")
      .digest()[0]! % LANES
  );
}

type MailReason = "sign-up" | "code" | "recovery" | "email change" | "reauthentication";

/** Refuses when a mail of this kind was requested less than a minute ago, whether or not the address has an account. */
export async function checkMailInterval(
  parts: AuthParts,
  tx: Executor,
  kind: MailReason,
  email: string,
  caller: AuthCaller,
): Promise<void> {
  const left = await secondsLeft(parts, tx, kind, email, caller, parts.settings.SMTP_MAX_FREQUENCY);
  if (left !== undefined) throw tooSoon("over_email_send_rate_limit", left);
  parts.limits.countSent("mails");
}

/** As above for text messages, each of which costs money. */
export async function checkTextInterval(
  parts: AuthParts,
  tx: Executor,
  kind: "sms" | "phone change" | "reauthentication" | "second step",
  phone: string,
  caller: AuthCaller,
): Promise<void> {
  const { SMS_MAX_FREQUENCY, MFA_PHONE_MAX_FREQUENCY } = parts.settings;
  const seconds = kind === "second step" ? MFA_PHONE_MAX_FREQUENCY : SMS_MAX_FREQUENCY;
  const left = await secondsLeft(parts, tx, `text: ${kind}`, phone, caller, seconds);
  if (left !== undefined) throw tooSoon("over_sms_send_rate_limit", left);
  parts.limits.countSent("texts");
}

export const tooSoon = (code: "over_email_send_rate_limit" | "over_sms_send_rate_limit", seconds: number) =>
  refuse(code, `For security purposes, you can only request this after ${seconds} seconds.`, {
    retryAfter: seconds,
  });

async function secondsLeft(
  parts: AuthParts,
  tx: Executor,
  kind: string,
  address: string,
  caller: AuthCaller,
  intervalSeconds: number,
): Promise<number | undefined> {
  const now = parts.clock.now();
  const interval = intervalSeconds * 1000;
  const addressHash = createHash("sha256")
    .update(`${address} ${laneOf(caller)}`)
    .digest("base64url");
  const last = await noteMailRequest(tx, { kind, addressHash }, new Date(now), new Date(now - interval));
  return last && Math.max(1, Math.ceil((last.getTime() + interval - now) / 1000));
}
