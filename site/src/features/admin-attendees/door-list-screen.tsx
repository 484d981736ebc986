// The door list on paper: everyone expected, in alphabetical order, with a box to tick. For the hour in which nothing else works.
// Reads page by page and sorts here. The table's head repeats on every sheet.
import { useQuery } from "@tanstack/react-query";
import { ArrowLeft, Printer } from "lucide-react";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { useFestival } from "#lib/festival/content.ts";
import { count, shortId, formatZonedMoment } from "#lib/format.ts";
import { allRows } from "#lib/lists/list.ts";
import { inPlace } from "#lib/lists/list-view.ts";
import { Button } from "#ui/basics/button.tsx";
import { Spinner } from "#ui/basics/spinner.tsx";
import { ReadNote } from "#ui/forms/read-note.tsx";
import { FilterSelect } from "#ui/lists/filter-select.tsx";
import { EmptyState, ErrorState } from "#ui/page/screen-states.tsx";
import { paperRows, type Attendee, type PaperRow } from "./model.ts";
import { attendeeList, useTicketTypes } from "./queries.ts";

/** About 500 sheets. No one would search a longer list. */
const MOST_ON_PAPER = 20_000;

class TooMany extends Error {}

export function DoorListScreen() {
  const [params, setParams] = useSearchParams();
  const { title } = useFestival();
  const types = useTicketTypes();
  const [found, setFound] = useState(0);
  const type = params.get("type") ?? "";
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["door-list", type],
    queryFn: async () => ({ rows: paperRows(await readAll(type, setFound)), at: new Date().toISOString() }),
    // A list must not change while it is printed.
    ...{ staleTime: Infinity, gcTime: 0, refetchOnReconnect: false, refetchOnWindowFocus: false, retry: 1 },
  });
  // Taken from the rows: a list of one type must not print as the list of all.
  const typeName = type && data?.rows[0]?.type;
  return (
    <>
      <div data-print="never">
        <Link
          to="/admin/attendees"
          className="mb-3 inline-flex min-h-9 items-center gap-1.5 underline underline-offset-4"
        >
          <ArrowLeft aria-hidden="true" className="size-4" /> Attendees
        </Link>
        <div className="mb-4 flex flex-wrap items-center gap-3">
          <FilterSelect
            label="Ticket type"
            value={type || undefined}
            all="All types"
            options={types.data?.map(({ id: value, name: label }) => ({ value, label }))}
            onChoose={(next) => setParams(next ? { type: next } : {}, inPlace)}
          />
          <Button size="small" disabled={!data?.rows.length} onClick={() => print()}>
            <Printer aria-hidden="true" className="size-4" /> Print
          </Button>
          <Button
            size="small"
            variant="secondary"
            disabled={!data}
            busy={isFetching && data !== undefined}
            onClick={() => void refetch()}
          >
            Refresh
          </Button>
          {types.isError && <ReadNote read={types} what="ticket types" />}
        </div>
      </div>
      <h1 className="display text-screen print:text-2xl">Door list</h1>
      {data ? (
        <Paper
          rows={data.rows}
          head={`${title}${typeName ? `, ${typeName}` : ""}: ${count(data.rows.length, "ticket")}, as of ${formatZonedMoment(data.at)}`}
        />
      ) : error ? (
        <ReadFailure error={error} onRetry={() => void refetch()} />
      ) : (
        <p role="status" className="mt-4 flex items-center gap-3">
          <Spinner label={null} /> Loading the tickets{found > 0 && `: ${found.toLocaleString("en-US")}`}
        </p>
      )}
    </>
  );
}

function ReadFailure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (error instanceof TooMany) return <ErrorState className="mt-4" title={error.message} />;
  return (
    <ErrorState
      className="mt-4"
      title="Error loading the door list. Please check your connection and try again."
      cause={error}
      onRetry={onRetry}
    />
  );
}

async function readAll(type: string, onProgress: (found: number) => void): Promise<Attendee[]> {
  const all: Attendee[] = [];
  onProgress(0);
  const filter = { search: "", type: type || undefined, channel: undefined, state: undefined };
  for await (const rows of allRows(attendeeList, filter)) {
    all.push(...rows);
    onProgress(all.length);
    if (all.length > MOST_ON_PAPER) {
      throw new TooMany(
        `More than ${MOST_ON_PAPER.toLocaleString("en-US")} tickets: too many for one printed list. Choose a ticket type.`,
      );
    }
  }
  return all;
}

function Paper({ rows, head }: { rows: readonly PaperRow[]; head: string }) {
  if (rows.length === 0) {
    return (
      <EmptyState className="mt-4" title="No guests expected">
        There are no valid tickets with names. Door sales have no names: scan their codes.
      </EmptyState>
    );
  }
  return (
    <>
      <p className="mt-2 text-ink-soft">Door sales have no names: scan their codes.</p>
      <table className="mt-4 w-full border-collapse bg-white text-left text-[0.9375rem] text-black print:text-[9.5pt]">
        <caption className="sr-only">Door list</caption>
        {/* Repeats on every sheet. */}
        <thead className="table-header-group">
          <tr>
            <th
              colSpan={4}
              scope="colgroup"
              className="border-b-2 border-black px-2 py-1.5 text-sm font-semibold"
            >
              {head}
            </th>
          </tr>
          <tr className="border-b border-black text-sm">
            <th scope="col" className="w-10 px-2 py-1">
              In
            </th>
            <th scope="col" className="px-2 py-1">
              Name
            </th>
            <th scope="col" className="px-2 py-1">
              Ticket
            </th>
            <th scope="col" className="px-2 py-1">
              Order
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} className="break-inside-avoid border-b border-black/30">
              <td className="px-2 py-1 text-lg leading-none">
                <span aria-hidden="true">{row.isIn ? "☑" : "☐"}</span>
                <span className="sr-only">{row.isIn ? "Checked in" : "Not checked in"}</span>
              </td>
              <td className="px-2 py-1 font-semibold wrap-anywhere">{row.name}</td>
              <td className="px-2 py-1">{row.type}</td>
              <td className="px-2 py-1 font-mono">{shortId(row.order)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
