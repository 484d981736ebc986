// Who is coming: a list of every ticket, however it was sold, and a link to the list on paper.
import { Link } from "react-router";
import { formatMoment, shortId } from "#lib/format.ts";
import { useListView } from "#lib/lists/list-view.ts";
import { allRows, useList } from "#lib/lists/list.ts";
import { useCsvExport } from "#lib/lists/use-csv-export.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { ReadNote } from "#ui/forms/read-note.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { FilterSelect } from "#ui/lists/filter-select.tsx";
import { ListFrame } from "#ui/lists/list-frame.tsx";
import { attendeeStates, channelNames, nameOf, stateTone, tallyText, type Attendee } from "./model.ts";
import { attendeeCsv, attendeeList, useTicketTypes } from "./queries.ts";

export function AttendeesScreen() {
  const view = useListView(attendeeList.size);
  const filter = {
    search: view.search.settled,
    type: view.filter("type") || undefined,
    channel: view.filter("channel") || undefined,
    state: view.filter("state") || undefined,
  };
  const list = useList(attendeeList, filter, view);
  const csv = useCsvExport({
    name: "attendees",
    columns: attendeeCsv,
    rows: () => allRows(attendeeList, filter),
  });
  const isFiltered = Object.values(filter).some(Boolean);
  return (
    <ListFrame
      title="Attendees"
      tally={tallyText}
      rowsAre="attendees"
      list={list}
      csv={csv}
      actions={
        <Button size="small" variant="secondary" asChild>
          <Link
            to={{ pathname: "/admin/attendees/door-list", search: filter.type ? `?type=${filter.type}` : "" }}
          >
            Printable Door List
          </Link>
        </Button>
      }
      search={{
        ...view.search,
        label: "Search by name, email, order or ticket number",
        placeholder: "Name, email, order or ticket number",
      }}
      filters={<Filters {...filter} onChoose={view.setFilter} />}
    >
      {({ rows }) => (
        <DataTable
          caption="Attendees"
          rows={rows}
          rowKey={({ id }) => id}
          empty={isFiltered ? "No attendees match." : "No tickets yet."}
          columns={columns(view.wayBack)}
        />
      )}
    </ListFrame>
  );
}

interface FiltersProps {
  type: string | undefined;
  channel: string | undefined;
  state: string | undefined;
  onChoose: (name: "type" | "channel" | "state", value: string) => void;
}

function Filters({ type, channel, state, onChoose }: FiltersProps) {
  const types = useTicketTypes();
  return (
    <>
      <FilterSelect
        label="Ticket type"
        value={type}
        all="All types"
        options={types.data?.map(({ id: value, name: label }) => ({ value, label }))}
        onChoose={(type) => onChoose("type", type)}
      />
      <FilterSelect
        label="Channel"
        value={channel}
        all="All channels"
        options={channelNames}
        onChoose={(channel) => onChoose("channel", channel)}
      />
      <FilterSelect
        label="Status"
        value={state}
        all="All statuses"
        options={attendeeStates}
        onChoose={(state) => onChoose("state", state)}
      />
      {types.isError && <ReadNote read={types} what="ticket types" />}
    </>
  );
}

const columns = (wayBack: unknown): readonly Column<Attendee>[] => [
  {
    key: "name",
    header: "Attendee",
    cell: (row) => (
      <>
        <span className="font-semibold wrap-anywhere">{row.name}</span>
        {row.email && <EmailText className="block text-sm text-ink-soft">{row.email}</EmailText>}
      </>
    ),
  },
  {
    key: "type",
    phone: "plain",
    header: "Ticket",
    cell: (row) => (
      <>
        {row.type} <span className="font-mono text-sm text-ink-soft sm:block">#{row.id.slice(0, 8)}</span>
      </>
    ),
  },
  {
    key: "order",
    header: "Order",
    cell: (row) => (
      <>
        <Link
          to={`/admin/orders/${row.order_id}`}
          state={wayBack}
          className="font-mono font-bold underline underline-offset-4"
        >
          #{shortId(row.order_id)}
        </Link>
        {row.channel === "online" && row.buyer !== row.name && (
          <span className="block text-sm wrap-anywhere text-ink-soft">{row.buyer}</span>
        )}
      </>
    ),
  },
  { key: "channel", phone: "plain", header: "Channel", cell: (row) => nameOf(channelNames, row.channel) },
  {
    key: "state",
    phone: "corner",
    header: "Status",
    cell: (row) => (
      <Badge tone={stateTone[row.state]}>
        {row.state === "in"
          ? `Checked in ${formatMoment(row.checked_in_at)}`
          : nameOf(attendeeStates, row.state)}
      </Badge>
    ),
  },
];
