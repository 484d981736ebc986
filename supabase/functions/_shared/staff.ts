// The caller's role in the back office, for functions that staff may call. SQL functions call require_admin and require_finance
// instead.
import type { FunctionDeps, SignedInUser } from "./deps.ts";
import { rpc } from "./rpc.ts";

/** Null if the caller works elsewhere, no longer works here, or has not taken the second step that the role requires. */
export async function officeRole(
  deps: FunctionDeps,
  { userId, aal }: SignedInUser,
): Promise<"admin" | "finance" | null> {
  return rpc(deps.supabase, "office_role", { p_user_id: userId, p_aal: aal ?? null });
}
