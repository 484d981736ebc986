// Telling the owner what was done with their account, by mail: somebody else may have done it.
import type { Executor } from "../../postgres/executor.ts";
import type { UserRow } from "../account/queries.ts";
import { prepareNotice } from "../links/links.ts";
import type { AuthParts } from "../parts.ts";
import type { NoticeKind } from "./words.ts";

const SETTINGS = {
  password_changed: "MAILER_NOTIFICATIONS_PASSWORD_CHANGED_ENABLED",
  email_changed: "MAILER_NOTIFICATIONS_EMAIL_CHANGED_ENABLED",
  phone_changed: "MAILER_NOTIFICATIONS_PHONE_CHANGED_ENABLED",
} as const satisfies Partial<Record<NoticeKind, string>>;

/** `what`: the new address or number. In the caller's transaction; poke the outbox after it. */
export async function notifyOwner(
  parts: AuthParts,
  tx: Executor,
  user: Pick<UserRow, "email" | "email_confirmed_at">,
  kind: keyof typeof SETTINGS,
  what = "",
): Promise<void> {
  if (!parts.settings[SETTINGS[kind]] || !user.email || !user.email_confirmed_at) return;
  await prepareNotice(parts, tx, kind, user.email, what);
}
