import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { read, type FailureReport } from "#lib/back-office-reads.ts";
import type { CsvPage } from "#lib/csv.ts";
import { formatStamp } from "#lib/format.ts";
import { getSupabase } from "#lib/supabase.ts";
import { toast } from "#ui/toast.ts";
import { parseUserPage, parseUserStats, USERS_PAGE, type Role, type UserPage } from "./model.ts";

export function useUserStats() {
  return useQuery({
    queryKey: ["user-stats"],
    queryFn: async () =>
      parseUserStats(await read("user stats", (supabase) => supabase.rpc("get_user_stats"))),
    meta: { failedAs: "FETCH_ERROR_USER_STATS", table: "users" } satisfies FailureReport,
  });
}

interface UserFilter {
  search: string;
  role: Role | undefined;
}

/** `page` from 1. */
export function useUsers(filter: UserFilter, page: number) {
  return useQuery({
    queryKey: ["users", filter, page],
    queryFn: () => fetchUsers(filter, USERS_PAGE, (page - 1) * USERS_PAGE),
    placeholderData: keepPreviousData,
  });
}

async function fetchUsers({ search, role }: UserFilter, size: number, offset: number): Promise<UserPage> {
  return parseUserPage(
    await read("users", (supabase) =>
      supabase.rpc("list_users", {
        p_search: search,
        ...(role && { p_role: role }),
        page_size: size,
        page_offset: offset,
      }),
    ),
  );
}

export const userCsvHeader = ["Email", "Role", "Joined", "Last Sign In", "Id"];
const CSV_PAGE = 100;

export async function* userCsv(filter: UserFilter): AsyncGenerator<CsvPage> {
  for (let offset = 0; ; offset += CSV_PAGE) {
    const { users, total_count: total } = await fetchUsers(filter, CSV_PAGE, offset);
    yield {
      total,
      rows: users.map((user) => [
        user.email,
        user.role,
        formatStamp(user.created_at),
        user.last_sign_in_at ? formatStamp(user.last_sign_in_at) : "Never",
        user.id,
      ]),
    };
    if (users.length < CSV_PAGE) return;
  }
}

/** "none" removes the role's row. */
export function useSetRole() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ userId, role }: { userId: string; role: Role }) => {
      const supabase = await getSupabase();
      const roles = supabase.from("user_roles");
      const { error } =
        role === "none"
          ? await roles.delete().eq("user_id", userId)
          : await roles.upsert({ user_id: userId, role }, { onConflict: "user_id" });
      if (error) throw new Error(error.message);
    },
    onSuccess: () => toast.success("User role updated successfully"),
    onError: (error) => toast.error("Failed to update user role", error.message),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["users"] }),
  });
}
