// Codes by text message, written in the caller's transaction and sent after it, like mails.
import type { Executor } from "../../postgres/executor.ts";
import { updateUser, type UserRow } from "../account/queries.ts";
import { type FreshLink, putToken } from "../links/links.ts";
import type { AuthParts } from "../parts.ts";
import type { Channel } from "./phone.ts";

const KINDS = {
  sms: { token: "confirmation_token", sentAt: "confirmation_sent_at" },
  phone_change: { token: "phone_change_token", sentAt: "phone_change_sent_at" },
  reauthentication: { token: "reauthentication_token", sentAt: "reauthentication_sent_at" },
} as const;

export const fillTemplate = (template: string, code: string): string =>
  template.replaceAll(/\{\{\s*\.Code\s*\}\}/g, () => code);

/** Writes a fresh code and its message in the caller's transaction. `texted` false: the message is sent to nobody. */
export async function prepareText(
  parts: AuthParts,
  tx: Executor,
  user: UserRow,
  options: { kind: keyof typeof KINDS; phone: string; channel: Channel; texted?: boolean },
): Promise<FreshLink> {
  const { kind, phone, channel, texted = true } = options;
  const { settings } = parts;
  const now = new Date(parts.clock.now());
  const { token: type, sentAt } = KINDS[kind];
  const seconds = settings.SMS_OTP_EXP;
  const digits = settings.SMS_OTP_LENGTH;
  const fresh = await putToken(parts, tx, { user, type, sentTo: phone, digits, seconds });
  await updateUser(tx, user.id, { [sentAt]: now }, now);
  if (!texted) return fresh;
  const text = fillTemplate(settings.SMS_TEMPLATE, fresh.code);
  const until = new Date(now.getTime() + seconds * 1000);
  await parts.outbox.putText(tx, { sms: phone, text, channel, code: fresh.code }, until);
  return fresh;
}
