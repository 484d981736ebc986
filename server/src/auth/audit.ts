// The audit row every changing request leaves in its own transaction, in the shape of GoTrue's audit log.
import type { Executor } from "../postgres/executor.ts";
import type { Caller, AuthParts } from "./parts.ts";
import { insertAuditEntry } from "./account/queries.ts";

/** GoTrue files each action under a kind of log. */
const LOG_TYPES = {
  login: "account",
  logout: "account",
  token_refreshed: "token",
  token_revoked: "token",
  user_confirmation_requested: "user",
  user_deleted: "team",
  user_modified: "user",
  user_recovery_requested: "user",
  user_repeated_signup: "user",
  user_signedup: "team",
  user_updated_password: "user",
} as const;

export async function audit(
  parts: AuthParts,
  tx: Executor,
  caller: Caller,
  action: keyof typeof LOG_TYPES,
  actor: { id: string; email: string | null },
  traits?: Record<string, unknown>,
): Promise<void> {
  const payload = {
    action,
    actor_id: actor.id,
    actor_username: actor.email ?? "",
    actor_via_sso: false,
    log_type: LOG_TYPES[action],
    ...(traits && { traits }),
  };
  await insertAuditEntry(tx, payload, caller.ip, new Date(parts.clock.now()));
}

/** What the audit log calls the holder of the service key. */
export const SERVICE_ACTOR = { id: "00000000-0000-0000-0000-000000000000", email: "service_role" };
