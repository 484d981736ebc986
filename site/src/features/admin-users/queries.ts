import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { read, type FailureReport } from "#lib/lists/back-office-reads.ts";
import { CSV_PAGE, type CsvPage } from "#lib/lists/csv.ts";
import { formatStamp } from "#lib/format.ts";
import { parseListPage, startArgs, wholeList, type PageStart } from "#lib/lists/list-pages.ts";
import { getSupabase } from "#lib/api/supabase.ts";
import { toast } from "#ui/overlays/toast.ts";
import { parseUserStats, roleNames, user, USERS_PAGE, type Role, type User } from "./model.ts";

/** Sign-ups tell nobody that they happened; the dashboard is to be true all the same. */
const STATS_EVERY_MS = 30_000;

export function useUserStats() {
  return useQuery({
    queryKey: ["user-stats"],
    queryFn: async () =>
      parseUserStats(await read("user stats", (supabase) => supabase.rpc("get_user_stats"))),
    refetchInterval: STATS_EVERY_MS,
    meta: { failedAs: "FETCH_ERROR_USER_STATS", table: "users" } satisfies FailureReport,
  });
}

interface UserFilter {
  search: string;
  role: Role | undefined;
}

/** One page of users; `start` is where the page before it ended. */
export function useUsers(filter: UserFilter, start: PageStart | undefined) {
  return useQuery({
    queryKey: ["users", filter, start],
    queryFn: () => fetchUsers(filter, USERS_PAGE, start),
    placeholderData: keepPreviousData,
  });
}

export const startAfterUser = (last: User): PageStart => ({ at: last.created_at, id: last.id });

async function fetchUsers({ search, role }: UserFilter, size: number, start: PageStart | undefined) {
  return parseListPage(
    user,
    await read("users", (supabase) =>
      supabase.rpc("list_users", {
        p_search: search,
        ...(role && { p_role: role }),
        page_size: size,
        ...startArgs(start),
      }),
    ),
  );
}

export const userCsvHeader = ["Email", "Role", "Joined (Central)", "Last Sign In (Central)", "Id"];

export async function* userCsv(filter: UserFilter): AsyncGenerator<CsvPage> {
  const pages = wholeList(
    CSV_PAGE,
    async (start) => (await fetchUsers(filter, CSV_PAGE, start)).rows,
    startAfterUser,
  );
  for await (const rows of pages) {
    yield {
      rows: rows.map((user) => [
        user.email,
        user.role,
        formatStamp(user.created_at),
        user.last_sign_in_at ? formatStamp(user.last_sign_in_at) : "Never",
        user.id,
      ]),
    };
  }
}

interface RoleChange {
  seen: User;
  role: Role;
  /** It takes back a change made a moment ago. */
  undoes?: boolean;
}

/** Changes the role as it was seen: whoever comes second is told. "none" removes the role's row. */
export function useSetRole() {
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: async ({ seen, role }: RoleChange) => {
      const roles = (await getSupabase()).from("user_roles");
      const current = { user_id: seen.id, role: seen.role };
      // A role that was given meanwhile is left out of the answer, and left as it is.
      const { data, error } =
        role === "none"
          ? await roles.delete().match(current).select("user_id")
          : seen.role === "none"
            ? await roles
                .upsert({ user_id: seen.id, role }, { onConflict: "user_id", ignoreDuplicates: true })
                .select("user_id")
            : await roles.update({ role }).match(current).select("user_id");
      if (error) throw new Error(error.message);
      if (data.length === 0) throw new Error("Somebody else changed this role. It is shown as it is now.");
    },
    onSuccess: (_nothing, { seen, role, undoes }) =>
      toast.success(
        "User role updated successfully",
        `${seen.email}: ${roleNames[role]}`,
        undoes
          ? undefined
          : {
              label: "Undo",
              run: () => change.mutate({ seen: { ...seen, role }, role: seen.role, undoes: true }),
            },
      ),
    onError: (error) => toast.error("Failed to update user role", error.message),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["users"] }),
  });
  return {
    isPending: change.isPending,
    apply: (made: RoleChange) => change.mutateAsync(made).catch(() => {}),
  };
}
