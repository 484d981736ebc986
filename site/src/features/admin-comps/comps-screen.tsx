// Comps: who received them, why, and who issued them. Issued and revoked here.
import { useState } from "react";
import { Link } from "react-router";
import { count, formatShortDay } from "#lib/format.ts";
import { useFestival } from "#lib/festival/content.ts";
import { useListView } from "#lib/lists/list-view.ts";
import { allRows, useList } from "#lib/lists/list.ts";
import { useCsvExport } from "#lib/lists/use-csv-export.ts";
import { useSession } from "#lib/session/session.tsx";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { FigureCard } from "#ui/figures/figure-card.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { FilterSelect } from "#ui/lists/filter-select.tsx";
import { ListFrame } from "#ui/lists/list-frame.tsx";
import { WarningNote } from "#ui/page/warning-note.tsx";
import { IssueDialog } from "./issue-dialog.tsx";
import { compStates, isCompState, stateTone, type Comp } from "./model.ts";
import { compCsv, compList, type CompPage } from "./queries.ts";
import { RevokeDialog } from "./revoke-dialog.tsx";

const searched = "Search by guest, email or reason";

export function CompsScreen() {
  const { user } = useSession();
  const view = useListView(compList.size);
  const asked = view.filter("state");
  const filter = { search: view.search.settled, state: isCompState(asked) ? asked : undefined };
  const list = useList(compList, filter, view);
  const csv = useCsvExport({ name: "comps", columns: compCsv, rows: () => allRows(compList, filter) });
  const [issuing, setIssuing] = useState(false);
  const [revoking, setRevoking] = useState<Comp>();
  const counts = list.page?.byState;
  const isCancelled = useFestival().status === "cancelled";
  return (
    <>
      {isCancelled && (
        <WarningNote>The festival is canceled: comps can't be issued, only revoked.</WarningNote>
      )}
      <ListFrame
        title="Comps"
        tally={givenText}
        rowsAre="comps"
        list={list}
        csv={csv}
        actions={
          <Button size="small" disabled={isCancelled} onClick={() => setIssuing(true)}>
            Issue Comps
          </Button>
        }
        figures={
          <dl className="grid grid-cols-3 gap-3 max-2xs:grid-cols-1 sm:gap-4">
            <FigureCard label="Not checked in" value={counts?.valid ?? "–"} />
            <FigureCard label="Checked in" value={counts?.in ?? "–"} />
            <FigureCard label="Revoked" value={counts?.revoked ?? "–"} />
          </dl>
        }
        search={{ ...view.search, label: searched, placeholder: searched }}
        filters={
          <FilterSelect
            label="Status"
            value={filter.state}
            all="All statuses"
            options={compStates}
            onChoose={(state) => view.setFilter("state", state)}
          />
        }
      >
        {({ rows }) => (
          <DataTable
            caption="Comps"
            rows={rows}
            rowKey={({ id }) => id}
            empty={filter.search || filter.state ? "No comps match." : "No comps yet."}
            columns={[...columns, revokeColumn(setRevoking)]}
          />
        )}
      </ListFrame>
      {issuing && user && <IssueDialog userId={user.id} onClose={() => setIssuing(false)} />}
      {revoking && <RevokeDialog comp={revoking} onClose={() => setRevoking(undefined)} />}
    </>
  );
}

function givenText({ byState, parkingGiven }: CompPage): string {
  const tickets = count(byState.valid + byState.in, "ticket");
  return parkingGiven > 0
    ? `${tickets} and ${count(parkingGiven, "parking pass", "parking passes")} given`
    : `${tickets} given`;
}

const columns: readonly Column<Comp>[] = [
  {
    key: "guest",
    header: "Guest",
    cell: (row) => (
      <>
        <Link
          to={`/admin/orders/${row.id}`}
          className="font-semibold wrap-anywhere underline underline-offset-4"
        >
          {row.name}
        </Link>
        <EmailText className="block text-sm text-ink-soft">{row.email}</EmailText>
      </>
    ),
  },
  {
    key: "type",
    phone: "plain",
    header: "Type",
    cell: (row) => `${row.type}${row.includes_parking ? ", with parking" : ""}`,
  },
  {
    key: "reason",
    header: "Reason",
    cell: (row) => (
      <span className="wrap-anywhere">
        {row.reason}
        <span className="block text-sm text-ink-soft">
          <EmailText>{row.issued_by}</EmailText>, {formatShortDay(row.created_at)}
        </span>
      </span>
    ),
  },
  {
    key: "state",
    phone: "corner",
    header: "Status",
    cell: (row) => (
      <>
        <Badge tone={stateTone[row.state]}>
          {compStates.find(({ value }) => value === row.state)?.label}
        </Badge>
        {row.revoke_reason && (
          <span className="mt-1 block text-sm wrap-anywhere text-ink-soft">{row.revoke_reason}</span>
        )}
      </>
    ),
  },
];

const revokeColumn = (onRevoke: (row: Comp) => void): Column<Comp> => ({
  key: "revoke",
  phone: "end",
  header: <span className="sr-only">Revoke</span>,
  cell: (row) =>
    row.state !== "revoked" && (
      <Button
        size="small"
        variant="danger"
        aria-label={`Revoke ${row.name}'s comp`}
        onClick={() => onRevoke(row)}
      >
        Revoke
      </Button>
    ),
});
