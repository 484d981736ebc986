// The caller's role in the back office, for functions that staff may call. SQL functions ask require_admin and require_finance.
import type { FunctionDeps, SignedInUser } from "./deps.ts";
import { rpc } from "./rpc.ts";

/** Null for whoever works elsewhere, not here any more, or has not taken the second step that the role asks for. */
export async function officeRole(
  deps: FunctionDeps,
  { userId, aal }: SignedInUser,
): Promise<"admin" | "finance" | null> {
  return rpc(deps.supabase, "office_role", { p_user_id: userId, p_aal: aal ?? null });
}
