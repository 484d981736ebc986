// The caller's role in the back office, for functions that staff may call. SQL functions ask require_admin and require_finance.
import type { FunctionDeps } from "./deps.ts";
import { rowsOf } from "./rpc.ts";

/** Null for whoever works elsewhere, or not here any more. */
export async function officeRole(deps: FunctionDeps, userId: string): Promise<"admin" | "finance" | null> {
  const row = await rowsOf(
    "role",
    deps.supabase
      .from("user_roles")
      .select("role")
      .eq("user_id", userId)
      .in("role", ["admin", "finance"])
      .or("expires_at.is.null,expires_at.gt.now")
      .maybeSingle<{ role: "admin" | "finance" }>(),
  );
  return row?.role ?? null;
}
