import { Plus } from "lucide-react";
import { useState } from "react";
import type { GateBoard } from "contract/gate";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { EntranceDialog } from "./entrance-dialog.tsx";
import { admitsText, type Entrance } from "./model.ts";
import { openEntrance, useGateAct } from "./queries.ts";

/** The named places of the gate, and what each admits. */
export function EntrancesPanel({ board: { entrances, types } }: { board: GateBoard }) {
  const { press, isPending } = useGateAct();
  const [editing, setEditing] = useState<Entrance | "new">();
  const [closing, setClosing] = useState<Entrance>();
  const actions: Column<Entrance> = {
    key: "actions",
    phone: "end",
    header: "Actions",
    cell: (entrance) => (
      <RowActions
        entrance={entrance}
        busy={isPending}
        onEdit={() => setEditing(entrance)}
        onSwitch={() => (entrance.is_open ? setClosing(entrance) : press(openEntrance(entrance, true)))}
      />
    ),
  };
  return (
    <Panel
      title="Entrances"
      aside={
        <Button size="small" variant="secondary" onClick={() => setEditing("new")}>
          <Plus aria-hidden="true" className="size-4" strokeWidth={3} />
          Add Entrance
        </Button>
      }
    >
      <DataTable
        caption="Gate entrances"
        rows={entrances}
        rowKey={({ id }) => id}
        empty="No entrances yet. Phones can't scan until you add one."
        columns={[...columnsOf(types), actions]}
      />
      <AlertDialog
        open={closing !== undefined}
        onOpenChange={(open) => !open && setClosing(undefined)}
        title={`Close ${closing?.name ?? "this entrance"}?`}
        confirmLabel="Close the entrance"
        cancelLabel="Keep it open"
        destructive
        onConfirm={() => closing && press(openEntrance(closing, false))}
      >
        Its phones show “Closed” for every code until you reopen it.
      </AlertDialog>
      {editing && (
        <EntranceDialog
          entrance={editing === "new" ? undefined : editing}
          types={types.filter(({ kind }) => kind === "ticket")}
          onClose={() => setEditing(undefined)}
        />
      )}
    </Panel>
  );
}

interface RowActionsProps {
  entrance: Entrance;
  busy: boolean;
  onEdit: () => void;
  onSwitch: () => void;
}

function RowActions({ entrance: { name, is_open }, busy, onEdit, onSwitch }: RowActionsProps) {
  const next = is_open ? "Close" : "Open";
  return (
    <span className="inline-flex flex-wrap justify-end gap-2">
      <Button size="small" variant="secondary" aria-label={`Edit ${name}`} onClick={onEdit}>
        Edit
      </Button>
      <Button
        size="small"
        variant={is_open ? "danger" : "primary"}
        disabled={busy}
        aria-label={`${next} ${name}`}
        onClick={onSwitch}
      >
        {next}
      </Button>
    </span>
  );
}

const columnsOf = (types: GateBoard["types"]): readonly Column<Entrance>[] => [
  {
    key: "name",
    header: "Entrance",
    cell: ({ name, is_express }) => (
      <span className="inline-flex flex-wrap items-center gap-2 wrap-anywhere">
        <span className="font-semibold">{name}</span>
        {is_express && <Badge tone="highlight">Express</Badge>}
      </span>
    ),
  },
  { key: "admits", header: "Admits", cell: (entrance) => admitsText(entrance, types) },
  { key: "in", header: "Let in", numeric: true, cell: ({ admitted }) => admitted.toLocaleString("en-US") },
  {
    key: "refused",
    header: "Refused",
    numeric: true,
    cell: ({ refused }) => refused.toLocaleString("en-US"),
  },
  {
    key: "state",
    phone: "corner",
    header: "Status",
    cell: ({ is_open }) => (
      <Badge tone={is_open ? "success" : "default"}>{is_open ? "Open" : "Closed"}</Badge>
    ),
  },
];
