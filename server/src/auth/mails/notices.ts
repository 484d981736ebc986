// Notifies the owner by mail of changes to their account, because someone else may have made them.
import type { Executor } from "../../postgres/executor.ts";
import type { UserRow } from "../account/queries.ts";
import { prepareNotice } from "../links/links.ts";
import type { AuthParts } from "../parts.ts";
import type { NoticeKind } from "./words.ts";

const SETTINGS = {
  password_changed: "MAILER_NOTIFICATIONS_PASSWORD_CHANGED_ENABLED",
  email_changed: "MAILER_NOTIFICATIONS_EMAIL_CHANGED_ENABLED",
  phone_changed: "MAILER_NOTIFICATIONS_PHONE_CHANGED_ENABLED",
  identity_linked: "MAILER_NOTIFICATIONS_IDENTITY_LINKED_ENABLED",
  identity_unlinked: "MAILER_NOTIFICATIONS_IDENTITY_UNLINKED_ENABLED",
  mfa_factor_enrolled: "MAILER_NOTIFICATIONS_MFA_FACTOR_ENROLLED_ENABLED",
  mfa_factor_unenrolled: "MAILER_NOTIFICATIONS_MFA_FACTOR_UNENROLLED_ENABLED",
  recovery_codes_created: "MAILER_NOTIFICATIONS_MFA_FACTOR_ENROLLED_ENABLED",
  recovery_codes_replaced: "MAILER_NOTIFICATIONS_MFA_FACTOR_ENROLLED_ENABLED",
  recovery_codes_removed: "MAILER_NOTIFICATIONS_MFA_FACTOR_UNENROLLED_ENABLED",
  passkey_created: "MAILER_NOTIFICATIONS_PASSKEY_CREATED_ENABLED",
  passkey_deleted: "MAILER_NOTIFICATIONS_PASSKEY_DELETED_ENABLED",
  recovery_code_used: "MAILER_NOTIFICATIONS_MFA_RECOVERY_CODE_USED_ENABLED",
} as const satisfies Partial<Record<NoticeKind, string>>;

/**
 * `what`: the new address or number, the provider, the kind of factor, or how many codes are left. Runs in the caller's
 * transaction; poke the outbox after it.
 */
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
