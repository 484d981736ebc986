import { formatShortDay, formatMoment } from "#lib/format.ts";
import { useListView } from "#lib/lists/list-view.ts";
import { allRows, useList } from "#lib/lists/list.ts";
import { useCsvExport } from "#lib/lists/use-csv-export.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { FigureCard } from "#ui/figures/figure-card.tsx";
import { FigureRow } from "#ui/figures/figure-row.tsx";
import { FilterSelect } from "#ui/lists/filter-select.tsx";
import { ListFrame } from "#ui/lists/list-frame.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { AccountButton, BlockedBadge } from "./account-dialog.tsx";
import { InvitationsPanel } from "./invitations-panel.tsx";
import { isRole, roleNames, roleReach, type Role, type User } from "./model.ts";
import { userCsv, userList, useUserStats } from "./queries.ts";
import { RoleSelector } from "./role-selector.tsx";
import { SellsSwitch } from "./sells-switch.tsx";
import { TwoStepPanel } from "./two-step-panel.tsx";

export function UsersScreen() {
  const view = useListView(userList.size);
  const asked = view.filter("role");
  const filter = { search: view.search.settled, role: isRole(asked) ? asked : undefined };
  const list = useList(userList, filter, view);
  const csv = useCsvExport({ name: "users", columns: userCsv, rows: () => allRows(userList, filter) });
  return (
    <ListFrame
      title="Users Management"
      rowsAre="users"
      list={list}
      csv={csv}
      figures={
        <>
          <Figures />
          <Roles />
          <InvitationsPanel />
          <TwoStepPanel />
        </>
      }
      search={{ ...view.search, label: "Search by email", placeholder: "Search by email" }}
      filters={
        <FilterSelect
          label="Role"
          value={filter.role}
          all="All roles"
          options={[
            { value: "admin", label: roleNames.admin },
            { value: "finance", label: roleNames.finance },
            { value: "gate", label: roleNames.gate },
            { value: "user", label: roleNames.user },
            { value: "none", label: "No role assigned" },
          ]}
          onChoose={(role) => view.setFilter("role", role)}
        />
      }
    >
      {({ rows }) => (
        <DataTable
          caption="Users"
          rows={rows}
          rowKey={(user) => user.id}
          empty="No users found."
          columns={columns}
        />
      )}
    </ListFrame>
  );
}

const columns: readonly Column<User>[] = [
  {
    key: "email",
    header: "Email",
    cell: (user) => (
      <>
        <EmailText className="font-semibold">{user.email}</EmailText>
        {user.blocked_until && (
          <p className="mt-1">
            <BlockedBadge until={user.blocked_until} />
          </p>
        )}
      </>
    ),
  },
  {
    key: "role",
    phone: "plain",
    header: "Role",
    cell: (user) => (
      <>
        {user.is_invited ? <Badge>Invited</Badge> : <RoleBadge role={user.role} />}
        {user.role === "gate" && <SellsSwitch user={user} />}
      </>
    ),
  },
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
        {user.last_sign_in_at ? formatMoment(user.last_sign_in_at) : "Never"}
      </span>
    ),
  },
  {
    key: "actions",
    phone: "corner",
    header: "Actions",
    cell: (user) => (
      <div className="flex flex-wrap items-center gap-2 xl:flex-nowrap">
        {/* An invited person gets the invitation's role once they accept it. */}
        {!user.is_invited && <RoleSelector user={user} />}
        <AccountButton user={user} />
      </div>
    ),
  },
];

function RoleBadge({ role }: { role: Role }) {
  if (role === "none") return <span className="text-ink-soft">{roleNames.none}</span>;
  return (
    <Badge tone={role === "admin" ? "highlight" : role === "user" ? "default" : "warning"}>
      {roleNames[role]}
    </Badge>
  );
}

function Roles() {
  return (
    <details className="mt-4 border border-ink/20 bg-sheet p-4 text-[0.9375rem] leading-snug">
      <summary className="font-semibold">What each role sees</summary>
      <dl className="mt-3 grid gap-x-6 gap-y-3 sm:grid-cols-2 xl:grid-cols-4">
        {roleReach.map(([role, reach]) => (
          <div key={role}>
            <dt>
              <RoleBadge role={role} />
            </dt>
            <dd className="mt-1.5 text-ink-soft">{reach}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Figures() {
  const { data, isError, error, refetch } = useUserStats();
  if (isError && !data) {
    return (
      <ErrorState
        title="Error loading user stats. Please check your connection and try again."
        cause={error}
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
    <FigureRow>
      {figures.map(([label, value]) => (
        <FigureCard key={label} label={label} value={value ?? "–"} />
      ))}
    </FigureRow>
  );
}
