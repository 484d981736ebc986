// The caller's role in the back office, for functions that staff may call. SQL functions call require_admin and require_finance
// instead.
import type { FunctionDeps, SignedInUser } from "./deps.ts";

/** Null if the caller may not work here now. */
export async function officeRole(
  deps: FunctionDeps,
  { userId, aal }: SignedInUser,
): Promise<"admin" | "finance" | null> {
  return deps.sql("office_role", { p_user_id: userId, p_aal: aal ?? null });
}
