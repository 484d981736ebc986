import { formatShortDay, formatStamp } from "#lib/format.ts";
import { useListView } from "#lib/lists/list-view.ts";
import { useCsvExport } from "#lib/lists/use-csv-export.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { DataTable } from "#ui/lists/data-table.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { ExportButton } from "#ui/lists/export-button.tsx";
import { FigureCard } from "#ui/figures/figure-card.tsx";
import { Select } from "#ui/forms/input.tsx";
import { Pager } from "#ui/lists/pager.tsx";
import { ScreenHead } from "#ui/page/screen-head.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { SearchField } from "#ui/lists/search-field.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { isRole, roleNames, USERS_PAGE, type Role, type User } from "./model.ts";
import { startAfterUser, useUsers, useUserStats, userCsv, userCsvHeader } from "./queries.ts";
import { RoleSelector } from "./role-selector.tsx";

export function UsersScreen() {
  const view = useListView(USERS_PAGE);
  const asked = view.filter("role");
  const role = isRole(asked) ? asked : undefined;
  const filter = { search: view.search.settled, role };
  const users = useUsers(filter, view.start);
  const csv = useCsvExport({
    name: "users",
    header: userCsvHeader,
    pages: () => userCsv(filter),
  });

  return (
    <>
      <ScreenHead title="Users Management" actions={<ExportButton {...csv} />} />
      <Figures />
      <div className="my-4 flex flex-wrap gap-3">
        <SearchField
          aria-label="Search by email"
          placeholder="Search by email"
          value={view.search.typed}
          onChange={(event) => view.search.type(event.target.value)}
        />
        <Select
          dense
          className="w-full sm:w-56"
          aria-label="Role"
          value={role ?? ""}
          onChange={(event) => view.setFilter("role", event.target.value)}
        >
          <option value="">All roles</option>
          <option value="admin">Admin</option>
          <option value="user">User</option>
          <option value="none">No role assigned</option>
        </Select>
      </div>
      {users.data ? (
        <>
          <UserTable users={users.data.rows} />
          <Pager
            label="Pages of users"
            {...view.pagerOf(users.data, !users.isPlaceholderData, startAfterUser)}
          />
        </>
      ) : users.isError ? (
        <ErrorState
          title="Error loading users. Please check your connection and try again."
          onRetry={() => void users.refetch()}
        />
      ) : (
        <div role="status">
          <span className="sr-only">Loading users</span>
          <Skeleton className="h-96" />
        </div>
      )}
    </>
  );
}

function UserTable({ users }: { users: readonly User[] }) {
  return (
    <DataTable
      caption="Users"
      rows={users}
      rowKey={(user) => user.id}
      empty="No users found."
      columns={[
        {
          key: "email",
          header: "Email",
          cell: (user) => <EmailText className="font-semibold">{user.email}</EmailText>,
        },
        { key: "role", header: "Role", cell: (user) => <RoleBadge role={user.role} /> },
        {
          key: "joined",
          header: "Joined",
          cell: (user) => <span className="md:whitespace-nowrap">{formatShortDay(user.created_at)}</span>,
        },
        {
          key: "seen",
          header: "Last Sign In",
          cell: (user) => (
            <span className="md:whitespace-nowrap">
              {user.last_sign_in_at ? formatStamp(user.last_sign_in_at) : "Never"}
            </span>
          ),
        },
        { key: "actions", header: "Actions", cell: (user) => <RoleSelector user={user} /> },
      ]}
    />
  );
}

function RoleBadge({ role }: { role: Role }) {
  if (role === "none") return <span className="text-ink-soft">{roleNames.none}</span>;
  return <Badge tone={role === "admin" ? "highlight" : "default"}>{roleNames[role]}</Badge>;
}

function Figures() {
  const { data, isError, refetch } = useUserStats();
  if (isError && !data) {
    return (
      <ErrorState
        title="Error loading user stats. Please check your connection and try again."
        onRetry={() => void refetch()}
      />
    );
  }
  const figures = [
    ["Total Users", data?.total_users],
    ["New Today", data?.users_today],
    ["This Week", data?.users_this_week],
    ["This Month", data?.users_this_month],
  ] as const;
  return (
    <dl className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      {figures.map(([label, value]) => (
        <FigureCard key={label} label={label} value={value ?? "–"} />
      ))}
    </dl>
  );
}
