// What the devices decided offline against the server's later verdict: codes that let someone in twice, with both places,
// and people let in although their code was void, old, early or for another entrance.
import type { GateBoard } from "contract/gate";
import { useState } from "react";
import { Link } from "react-router";
import { count, isolated, shortId } from "#lib/format.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { clockOf, placeText, refusalNames } from "./model.ts";

interface Let {
  name: string;
  type: string;
  order_id: string;
}

export function ConflictsPanel({ board: { conflicts, despite, totals, now } }: { board: GateBoard }) {
  return (
    <Panel
      title="Conflicts"
      aside={
        totals.conflicts > 0 && <Badge tone="warning">{count(totals.conflicts, "code")} let in twice</Badge>
      }
    >
      {conflicts.length === 0 ? (
        <p className="text-ink-soft">No code has been admitted twice.</p>
      ) : (
        <FoldedTable
          caption="Codes admitted twice"
          rows={conflicts}
          columns={[
            { key: "who", header: "Who", cell: (row) => <Who {...row} /> },
            { key: "first", header: "First", cell: ({ first }) => <Place {...first} now={now} /> },
            { key: "second", header: "Again", cell: ({ second }) => <Place {...second} now={now} /> },
          ]}
        />
      )}
      {despite.length > 0 && (
        <div className="mt-4">
          <h3 className="mb-2 text-sm font-semibold text-ink-soft">Let in offline by mistake</h3>
          <FoldedTable
            caption="Let in offline, but the server would have refused"
            rows={despite}
            columns={[
              { key: "who", header: "Who", cell: (row) => <Who {...row} /> },
              { key: "why", header: "Problem", cell: ({ reason }) => refusalNames[reason] },
              { key: "where", header: "Where", cell: (row) => <Place {...row} now={now} /> },
            ]}
          />
        </div>
      )}
    </Panel>
  );
}

const FOLDED = 5;

interface FoldedTableProps<Row> {
  caption: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
}

/** The newest few, and all of them on demand. */
function FoldedTable<Row extends { id: string }>({ caption, rows, columns }: FoldedTableProps<Row>) {
  const [unfolded, setUnfolded] = useState(false);
  return (
    <>
      <DataTable
        caption={caption}
        rows={unfolded ? rows : rows.slice(0, FOLDED)}
        rowKey={({ id }) => id}
        columns={columns}
      />
      {rows.length > FOLDED && (
        <Button size="small" variant="ghost" className="mt-2" onClick={() => setUnfolded(!unfolded)}>
          {unfolded ? "Show Fewer" : `Show All ${rows.length.toLocaleString("en-US")}`}
        </Button>
      )}
    </>
  );
}

function Who({ name, type, order_id }: Let) {
  return (
    <div className="wrap-anywhere sm:min-w-32">
      <span className="font-semibold">{isolated(name)}</span>
      <span className="block text-sm text-ink-soft">
        {type},{" "}
        <Link to={`/admin/orders/${order_id}`} className="underline underline-offset-4">
          order #{shortId(order_id)}
        </Link>
      </span>
    </div>
  );
}

interface PlaceProps {
  at: number;
  entrance: string | null;
  device: string | null;
  now: number;
}

function Place({ at, now, ...place }: PlaceProps) {
  return (
    <div className="wrap-anywhere">
      <time dateTime={new Date(at).toISOString()} className="tabular-nums">
        {clockOf(at, now)}
      </time>
      <span className="block text-sm text-ink-soft">{placeText(place)}</span>
    </div>
  );
}
