// The staff role of a user. Its script is in one file with the Supabase client, without which no one is signed in.
import type { Supabase } from "../api/supabase.ts";
import { withRetries } from "../api/with-retries.ts";

const staffRoles = ["admin", "finance", "gate"] as const;
export type StaffRole = (typeof staffRoles)[number];

export interface StaffLookup {
  /** Null for a buyer, and until it is known. */
  role: StaffRole | null;
  /** For gate staff, when an administrator has granted it. Administrators do not need it. */
  sellsAtDoor: boolean;
}

/** @throws Error when there is no response after the usual retries */
export const staffRoleOf = (supabase: Supabase, userId: string): Promise<StaffLookup> =>
  withRetries(() => readStaffRole(supabase, userId));

async function readStaffRole(supabase: Supabase, userId: string): Promise<StaffLookup> {
  // Another tab may announce a sign-in before this one sees the session in storage. It would then call as a visitor.
  const { data: stored } = await supabase.auth.getSession();
  if (stored.session?.user.id !== userId) throw new Error("The session has not arrived in this tab yet.");
  // maybeSingle: "no row" (PGRST116) is not an error here, and the console shows no failed request.
  const { data, error } = await supabase
    .from("user_roles")
    .select("role, sells_at_door")
    .eq("user_id", userId)
    .in("role", staffRoles)
    .or("expires_at.is.null,expires_at.gt.now")
    .maybeSingle();
  if (error && error.code !== "PGRST116") throw new Error(error.message, { cause: error });
  return {
    role: staffRoles.find((role) => role === data?.role) ?? null,
    sellsAtDoor: data?.sells_at_door ?? false,
  };
}
