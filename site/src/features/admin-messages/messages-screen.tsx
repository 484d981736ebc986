import { PenLine } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { formatShortDay } from "#lib/format.ts";
import { useListView } from "#lib/lists/list-view.ts";
import { allRows, useList } from "#lib/lists/list.ts";
import { useCsvExport } from "#lib/lists/use-csv-export.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { ReadNote } from "#ui/forms/read-note.tsx";
import { type Column, DataTable } from "#ui/lists/data-table.tsx";
import { ListFrame } from "#ui/lists/list-frame.tsx";
import { MessageDialog } from "./message-dialog.tsx";
import { audienceText, type Message, progressText, standingOf, standingTones } from "./model.ts";
import { messageCsv, messageList, useTypeNames } from "./queries.ts";

/** Messages to buyers and attendees, and their progress. */
export function MessagesScreen() {
  const view = useListView(messageList.size);
  const filter = { search: view.search.settled };
  const list = useList(messageList, filter, view);
  const csv = useCsvExport({
    name: "messages",
    columns: messageCsv,
    rows: () => allRows(messageList, filter),
  });
  const types = useTypeNames();
  const [opened, setOpened] = useState<string>();
  const shown = list.page?.rows.find(({ id }) => id === opened);
  return (
    <>
      <ListFrame
        title="Messages"
        rowsAre="messages"
        list={list}
        csv={csv}
        search={{ ...view.search, label: "Search by subject", placeholder: "Search by subject" }}
        filters={types.isError && <ReadNote read={types} what="names of the ticket types" />}
        actions={
          <Button asChild size="small">
            <Link to="/admin/messages/new">
              <PenLine aria-hidden="true" className="size-4" strokeWidth={2.5} />
              Write a Message
            </Link>
          </Button>
        }
      >
        {({ rows }) => (
          <DataTable
            caption="Messages"
            rows={rows}
            rowKey={({ id }) => id}
            empty={
              filter.search ? "No messages match." : "No messages yet. Write one to everyone with a ticket."
            }
            columns={columnsOf(types.data, setOpened)}
          />
        )}
      </ListFrame>
      {shown && <MessageDialog message={shown} typeNames={types.data} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function columnsOf(
  typeNames: ReadonlyMap<string, string> | undefined,
  open: (id: string) => void,
): readonly Column<Message>[] {
  return [
    {
      key: "subject",
      header: "Subject",
      cell: (row) => (
        <>
          <span className="block font-semibold wrap-anywhere">{row.subject}</span>
          <span className="block text-sm text-ink-soft">{audienceText(row.audience, typeNames)}</span>
        </>
      ),
    },
    {
      key: "standing",
      phone: "corner",
      header: "Status",
      cell: (row) => (
        <>
          <Badge tone={standingTones[standingOf(row)]}>{standingOf(row)}</Badge>
          <span className="mt-1 block text-sm tabular-nums">{progressText(row)}</span>
        </>
      ),
    },
    {
      key: "written",
      header: "Written",
      cell: (row) => (
        <>
          <span className="xl:whitespace-nowrap">{formatShortDay(row.created_at)}</span>
          <span className="block text-sm wrap-anywhere text-ink-soft">{row.sent_by}</span>
        </>
      ),
    },
    {
      key: "action",
      phone: "end",
      header: "Action",
      cell: (row) => (
        <Button
          size="small"
          variant="secondary"
          aria-label={`Open ${row.subject}`}
          onClick={() => open(row.id)}
        >
          Open
        </Button>
      ),
    },
  ];
}
