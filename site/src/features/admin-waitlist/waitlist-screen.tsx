import { count, formatShortDay, formatZonedMoment } from "#lib/format.ts";
import { useListView } from "#lib/lists/list-view.ts";
import { allRows, useList } from "#lib/lists/list.ts";
import { useCsvExport } from "#lib/lists/use-csv-export.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { FigureCard } from "#ui/figures/figure-card.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { FilterSelect } from "#ui/lists/filter-select.tsx";
import { ListFrame } from "#ui/lists/list-frame.tsx";
import {
  isState,
  stateOf,
  states,
  useOffer,
  waitlistCsv,
  waitlistList,
  type Entry,
  type Line,
} from "./queries.ts";

export function WaitlistScreen() {
  const view = useListView(waitlistList.size);
  const asked = view.filter("state");
  const filter = { search: view.search.settled, state: isState(asked) ? asked : undefined };
  const list = useList(waitlistList, filter, view);
  const csv = useCsvExport({
    name: "waitlist",
    columns: waitlistCsv,
    rows: () => allRows(waitlistList, filter),
  });
  const offer = useOffer();
  return (
    <ListFrame
      title="Waitlist"
      rowsAre="waitlist entries"
      list={list}
      csv={csv}
      figures={list.page && list.page.lines.length > 0 && <Lines lines={list.page.lines} />}
      search={{
        ...view.search,
        label: "Search by email or ticket type",
        placeholder: "Search by email or ticket type",
      }}
      filters={
        <FilterSelect
          label="Status"
          value={filter.state}
          all="All statuses"
          options={states.map(({ state, name }) => ({ value: state, label: name }))}
          onChoose={(state) => view.setFilter("state", state)}
        />
      }
    >
      {({ rows }) => (
        <DataTable
          caption="Waitlist entries"
          rows={rows}
          rowKey={(row) => row.id}
          empty={
            filter.search || filter.state
              ? "No waitlist entries match."
              : "The waitlist is empty. Buyers can join once a ticket type is sold out."
          }
          columns={columnsWith(offer, list.page?.lines ?? [])}
        />
      )}
    </ListFrame>
  );
}

/** How many people wait in each line, and how many places are offered. */
function Lines({ lines }: { lines: readonly Line[] }) {
  return (
    <dl className="grid grid-cols-1 gap-3 sm:grid-cols-2 sm:gap-4 lg:grid-cols-4">
      {lines.map(({ name, people, waiting, offered }) => (
        <FigureCard
          key={name}
          label={name}
          value={people}
          note={`waiting for ${count(waiting, "ticket")}, ${offered} offered`}
        />
      ))}
    </dl>
  );
}

function columnsWith(offer: ReturnType<typeof useOffer>, lines: readonly Line[]): readonly Column<Entry>[] {
  const left = ({ ticket_type }: Entry) => lines.find(({ name }) => name === ticket_type)?.available;
  return [
    { key: "email", header: "Email", cell: (row) => <EmailText>{row.email}</EmailText> },
    {
      key: "quantity",
      header: "Wants",
      cell: (row) => (
        <span className="wrap-anywhere">
          {row.quantity} × {row.ticket_type}
        </span>
      ),
    },
    {
      key: "state",
      phone: "corner",
      header: "Status",
      cell: (row) => (
        <>
          <Badge tone={stateOf(row).tone}>{stateOf(row).name}</Badge>
          {row.position !== null && (
            <span className="block text-sm text-ink-soft tabular-nums">
              Number {row.position.toLocaleString("en-US")} in line
            </span>
          )}
          {row.state === "offered" && (
            <span className="block text-sm text-ink-soft">
              {row.offered} until {formatZonedMoment(row.offer_expires_at)}
            </span>
          )}
        </>
      ),
    },
    { key: "joined", header: "Joined", cell: (row) => formatShortDay(row.created_at) },
    {
      key: "actions",
      phone: "end",
      header: "Actions",
      cell: (row) =>
        row.state === "waiting" && (
          <>
            <Button
              size="small"
              variant="secondary"
              aria-label={`Offer ${row.email} a place now`}
              disabled={left(row) === 0}
              busy={offer.isPending && offer.variables.id === row.id}
              onClick={() => offer.mutate(row)}
            >
              Offer Now
            </Button>
            {left(row) === 0 && <span className="block text-sm text-ink-soft">None left to offer</span>}
          </>
        ),
    },
  ];
}
