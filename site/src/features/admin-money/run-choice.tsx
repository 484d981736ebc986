// The orders that match a filter, some of which may be selected, and what a run of them would do.
import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { formatCents } from "contract/shop/money";
import { count, formatMoment, shortId } from "#lib/format.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { ReadNote } from "#ui/forms/read-note.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import type { PreviewedOrder, RunPreview } from "./run-model.ts";

/** Shown at first: a hundred rows are twenty-four thousand pixels tall on a phone. */
const ROWS = 20;

interface RunChoiceProps {
  found: RunPreview;
  /** The orders the run would refund. */
  meant: UseQueryResult<RunPreview>;
  chosen: readonly string[];
  onChoose: (ids: readonly string[]) => void;
  onStart: () => void;
}

export function RunChoice({ found, meant, chosen, onChoose, onStart }: RunChoiceProps) {
  const pick: Column<PreviewedOrder> = {
    key: "pick",
    phone: "mark",
    header: <span className="sr-only">Select</span>,
    cell: ({ id, buyer_full_name }) => (
      <input
        type="checkbox"
        className="size-5 accent-slab"
        aria-label={`Only ${buyer_full_name}'s order, ${shortId(id)}`}
        checked={chosen.includes(id)}
        onChange={({ target }) =>
          onChoose(target.checked ? [...chosen, id] : chosen.filter((other) => other !== id))
        }
      />
    ),
  };
  const [most, setMost] = useState(ROWS);
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3 border-2 border-ink bg-paper-deep/60 px-4 py-3">
        <Sums meant={meant} isChosen={chosen.length > 0} />
        <div className="flex flex-wrap gap-3">
          {chosen.length > 0 && (
            <Button variant="secondary" size="small" onClick={() => onChoose([])}>
              Select All Found
            </Button>
          )}
          <Button variant="danger" size="small" disabled={!meant.data?.orders} onClick={onStart}>
            Refund These
          </Button>
        </div>
      </div>
      <DataTable
        caption="Orders found, newest first"
        rows={found.rows.slice(0, most)}
        rowKey={({ id }) => id}
        columns={[pick, ...columns]}
        empty="No paid order matches."
      />
      {found.rows.length > most && (
        <Button className="mt-3" variant="secondary" size="small" onClick={() => setMost(Infinity)}>
          Show {found.rows.length - most} More
        </Button>
      )}
      {found.orders > found.rows.length && most > found.rows.length && (
        <p className="mt-2 text-sm text-ink-soft">
          Showing the newest {found.rows.length} of {count(found.orders, "order")}. A run covers all of them
          unless you select some.
        </p>
      )}
    </>
  );
}

function Sums({ meant, isChosen }: { meant: RunChoiceProps["meant"]; isChosen: boolean }) {
  const { data, isError } = meant;
  if (isError && !data) return <ReadNote read={meant} what="sums" />;
  return (
    <p aria-live="polite" className="text-lg font-semibold tabular-nums">
      {data
        ? `${count(data.orders, "order")}, ${formatCents(data.cents)}${isChosen ? " selected" : ""}`
        : "Calculating…"}
    </p>
  );
}

const columns: readonly Column<PreviewedOrder>[] = [
  {
    key: "buyer",
    phone: "head",
    header: "Buyer",
    cell: ({ id, buyer_full_name, buyer_email, is_disputed }) => (
      <div className="wrap-anywhere">
        {buyer_full_name} <span className="font-mono text-sm text-ink-soft">#{shortId(id)}</span>{" "}
        {is_disputed && <Badge tone="danger">Disputed</Badge>}
        <EmailText className="block text-sm text-ink-soft">{buyer_email}</EmailText>
      </div>
    ),
  },
  { key: "items", phone: "plain", header: "Not refunded yet", cell: ({ items }) => items },
  {
    key: "placed",
    header: "Placed",
    cell: ({ created_at }) => <span className="whitespace-nowrap">{formatMoment(created_at)}</span>,
  },
  { key: "cents", phone: "corner", header: "Refund", numeric: true, cell: ({ cents }) => formatCents(cents) },
];
