// Every changing request writes an audit row in its own transaction, in the shape of GoTrue's audit log.
import type { Executor } from "../postgres/executor.ts";
import type { AuthCaller, AuthParts } from "./parts.ts";
import { insertAuditEntry } from "./account/queries.ts";

/** GoTrue files each action under a kind of log. */
const LOG_TYPES = {
  login: "account",
  logout: "account",
  invite_accepted: "account",
  user_signedup: "team",
  user_invited: "team",
  user_deleted: "team",
  token_refreshed: "token",
  token_revoked: "token",
  user_modified: "user",
  user_recovery_requested: "user",
  user_reauthenticate_requested: "user",
  user_confirmation_requested: "user",
  user_repeated_signup: "user",
  user_updated_password: "user",
  identity_linked: "user",
  identity_unlinked: "user",
  generate_recovery_codes: "user",
  recovery_codes_deleted: "recovery_codes",
  factor_in_progress: "factor",
  factor_unenrolled: "factor",
  factor_deleted: "factor",
  factor_updated: "factor",
  challenge_created: "factor",
  verification_attempted: "factor",
  mfa_code_login: "factor",
  passkey_created: "factor",
  passkey_updated: "factor",
  passkey_deleted: "factor",
} as const;

export type AuditAction = keyof typeof LOG_TYPES;

/** Who did it: a user or an administrator. */
export interface Actor {
  readonly id: string;
  readonly email: string | null;
  readonly phone?: string | null;
  readonly is_sso_user?: boolean;
  readonly raw_user_meta_data?: Readonly<Record<string, unknown>> | null;
}

/** Runs in the transaction of the action it records. */
export async function audit(
  parts: AuthParts,
  tx: Executor,
  caller: AuthCaller,
  action: AuditAction,
  actor: Actor,
  traits?: Record<string, unknown>,
): Promise<void> {
  const name = actor.raw_user_meta_data?.["full_name"];
  const payload = {
    action,
    actor_id: actor.id,
    actor_username: actor.phone || (actor.email ?? ""),
    actor_via_sso: actor.is_sso_user ?? false,
    log_type: LOG_TYPES[action],
    ...(typeof name === "string" && { actor_name: name }),
    ...(traits && { traits }),
  };
  await insertAuditEntry(tx, payload, caller.ip, new Date(parts.clock.now()));
}

/** The audit log names the holder of an administrative key by its role. */
export const administrator = ({ claims }: AuthCaller): Actor => ({
  id: "00000000-0000-0000-0000-000000000000",
  email: claims.role,
});
