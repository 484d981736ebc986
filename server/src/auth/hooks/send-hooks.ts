// The hooks that send in place of this server: mail through a provider's API, text messages through any carrier.
import type { Executor } from "../../postgres/executor.ts";
import type { UserRow } from "../account/queries.ts";
import { userView } from "../account/user-view.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { runHook } from "./run-hook.ts";

/** GoTrue's `email_data`. */
export interface EmailData {
  readonly token: string;
  readonly token_hash: string;
  readonly redirect_to: string;
  readonly email_action_type: string;
  readonly site_url: string;
  /** For an address change with both mails in one call; empty otherwise. */
  readonly token_new: string;
  readonly token_hash_new: string;
  readonly old_email?: string;
}

/** True when the hook has taken over the mail. */
export async function sendEmailHook(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  email_data: EmailData,
): Promise<boolean> {
  const input = { user: userView(user), email_data };
  return (await runHook(parts, tx, caller, "SEND_EMAIL", input)) !== undefined;
}

/** True when the hook has taken over the message. */
export async function sendSmsHook(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  user: UserRow,
  sms: { readonly otp: string; readonly sms_type?: string; readonly phone?: string },
): Promise<boolean> {
  return (await runHook(parts, tx, caller, "SEND_SMS", { user: userView(user), sms })) !== undefined;
}
