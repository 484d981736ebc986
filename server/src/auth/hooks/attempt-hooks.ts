// The hooks that receive each authentication attempt, right or wrong, and may reject it.
import { refuse } from "../errors.ts";
import type { AuthParts, AuthCaller } from "../parts.ts";
import { deleteSessions } from "../sessions/queries.ts";
import { hasHook, runHook } from "./run-hook.ts";

/** Runs in a separate transaction: what the hook counts must outlive the refusal. */
export async function passwordAttempt(
  parts: AuthParts,
  caller: AuthCaller,
  attempt: { userId: string; valid: boolean },
): Promise<void> {
  const input = { user_id: attempt.userId, valid: attempt.valid };
  const rejection = await rejectionOf(parts, caller, "PASSWORD_VERIFICATION_ATTEMPT", attempt.userId, input);
  if (rejection === undefined) return;
  throw refuse(
    "invalid_credentials",
    rejection || "Further password verification attempts will be rejected.",
  );
}

export interface FactorAttempt {
  readonly userId: string;
  readonly factorId: string;
  readonly factorType: string;
  readonly valid: boolean;
}

/**
 * As above for a second factor. `judge` checks the answer beforehand, and only if there is a hook. A rejected attempt ends
 * every session of the user. Never call it inside another transaction: two requests of one network would hold its turns while
 * waiting for more.
 */
export async function factorAttempt(
  parts: AuthParts,
  caller: AuthCaller,
  judge: () => Promise<FactorAttempt | undefined>,
): Promise<void> {
  const attempt = hasHook(parts, "MFA_VERIFICATION_ATTEMPT") ? await judge() : undefined;
  if (!attempt) return;
  const input = {
    user_id: attempt.userId,
    factor_id: attempt.factorId,
    factor_type: attempt.factorType,
    valid: attempt.valid,
  };
  const rejection = await rejectionOf(parts, caller, "MFA_VERIFICATION_ATTEMPT", attempt.userId, input);
  if (rejection === undefined) return;
  throw refuse(
    "mfa_verification_rejected",
    rejection || "Further MFA verification attempts will be rejected.",
  );
}

/** The hook's message; undefined when the attempt may continue. */
async function rejectionOf(
  parts: AuthParts,
  caller: AuthCaller,
  hook: "PASSWORD_VERIFICATION_ATTEMPT" | "MFA_VERIFICATION_ATTEMPT",
  userId: string,
  input: Record<string, unknown>,
): Promise<string | undefined> {
  if (!hasHook(parts, hook)) return undefined;
  return parts.database.transaction(async (tx) => {
    const output = await runHook(parts, tx, caller, hook, input);
    if (output?.["decision"] !== "reject") return undefined;
    const endsSessions = hook === "MFA_VERIFICATION_ATTEMPT" || output["should_logout_user"] === true;
    if (endsSessions) await deleteSessions(tx, userId, "all");
    return typeof output["message"] === "string" ? output["message"] : "";
  });
}
