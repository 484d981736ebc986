import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { read, type FailureReport } from "#lib/lists/back-office-reads.ts";
import { csvTime, type CsvColumn } from "#lib/lists/csv.ts";
import { parseListPage, positionArgs } from "#lib/lists/list-pages.ts";
import type { ListSource } from "#lib/lists/list.ts";
import { ask } from "#lib/session/ask.ts";
import { useSession } from "#lib/session/session.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { blockText } from "./account-help.ts";
import { parseUserStats, roleNames, user, type Role, type User, type UserFilter } from "./model.ts";

/** Sign-ups send no change events, so the dashboard polls for these figures. */
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

export const userList: ListSource<User, UserFilter> = {
  key: "users",
  size: 25,
  async read({ search, role }, size, place) {
    const answer = await read("users", (supabase) =>
      supabase.rpc("list_users", {
        p_search: search,
        ...(role && { p_role: role }),
        page_size: size,
        ...positionArgs(place),
      }),
    );
    return parseListPage("users", user, answer);
  },
  startAfter: ({ created_at: at, id }) => ({ at, id }),
};

export const userCsv: readonly CsvColumn<User>[] = [
  ["Email", (user) => user.email],
  ["Role", (user) => (user.is_invited ? "invited" : user.role)],
  ["Sells at the door", (user) => (user.role === "admin" || user.sells_at_door ? "yes" : "no")],
  ["Joined (Central)", (user) => csvTime(user.created_at)],
  ["Last Sign In (Central)", (user) => (user.last_sign_in_at ? csvTime(user.last_sign_in_at) : "Never")],
  ["Blocked", (user) => (user.blocked_until ? blockText(user.blocked_until) : "no")],
  ["ID", (user) => user.id],
];

interface RoleChange {
  seen: User;
  role: Role;
  /** Reverts a change made a moment ago. */
  undoes?: boolean;
}

/**
 * Changes the role only if it is still the one that was read: the second of two editors receives an error. "none"
 * deletes the role's row.
 */
export function useSetRole() {
  const queryClient = useQueryClient();
  const { user: me, lookUpRole } = useSession();
  const isOwn = ({ id }: User) => id === me?.id;
  const change = useMutation({
    mutationFn: async ({ seen, role }: RoleChange) => {
      const current = { user_id: seen.id, role: seen.role };
      // A role granted in the meantime does not match, and is missing from the response.
      const changed = await ask((supabase) => {
        const roles = supabase.from("user_roles");
        if (role === "none") return roles.delete().match(current).select("user_id");
        if (seen.role !== "none") return roles.update({ role }).match(current).select("user_id");
        const given = { user_id: seen.id, role };
        return roles.upsert(given, { onConflict: "user_id", ignoreDuplicates: true }).select("user_id");
      });
      if (changed.length === 0)
        throw new Error("Someone else changed this role. You're seeing the current one.");
    },
    onSuccess: (_nothing, { seen, role, undoes }) =>
      toast.success(
        "User role updated successfully",
        `${seen.email}: ${roleNames[role]}`,
        undoes || isOwn(seen)
          ? undefined
          : {
              label: "Undo",
              run: () => change.mutate({ seen: { ...seen, role }, role: seen.role, undoes: true }),
            },
      ),
    onError: (error) => toast.error("Failed to update user role", error.message),
    // Whoever gave up their own role may not read the list again.
    onSettled: (_nothing, error, { seen }) =>
      isOwn(seen) && !error ? lookUpRole() : queryClient.invalidateQueries({ queryKey: ["users"] }),
  });
  return {
    isPending: change.isPending,
    apply: (made: RoleChange) => change.mutateAsync(made).catch(() => {}),
  };
}

/** Grants or revokes a gate staff member's right to sell at the door. */
export function useSetSells() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ user, sells }: { user: User; sells: boolean }) => {
      const changed = await ask((supabase) =>
        supabase
          .from("user_roles")
          .update({ sells_at_door: sells })
          .match({ user_id: user.id, role: "gate" })
          .select("user_id"),
      );
      if (changed.length === 0)
        throw new Error("Someone else changed this role. You're seeing the current one.");
    },
    onSuccess: (_nothing, { user, sells }) =>
      toast.success(`${user.email} ${sells ? "can sell" : "no longer sells"} at the door`),
    onError: (error) => toast.error("Failed to change who sells", error.message),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["users"] }),
  });
}
