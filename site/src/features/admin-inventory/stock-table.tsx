// A stock table with at most one row in edit mode. Enter saves, Escape cancels.
import { useEffect, useRef, useState, type RefObject } from "react";
import { stockLabel } from "contract/shop/stock";
import { count, formatPrice } from "#lib/format.ts";
import { AlertDialog } from "#ui/overlays/alert-dialog.tsx";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { capitalized, productLabel, productPlural, type ProductKind } from "contract/shop/kinds";
import { AddUnitsDialog } from "./add-units-dialog.tsx";
import { unassigned, type StockRow } from "./model.ts";
import { NewItemDialog } from "./new-item-dialog.tsx";
import { SaleDialog } from "./sale-dialog.tsx";
import { SaleBadge, windowText } from "./sale-words.tsx";
import { StockEditForm } from "./stock-edit-form.tsx";
import { useStockEdit } from "./use-stock-edit.ts";

const titled = (words: string) => words.split(" ").map(capitalized).join(" ");

const labelTone = { Critical: "danger", Low: "warning", Good: "success" } as const;

type Opened = { dialog: "sale" | "units"; row: StockRow } | "new";

interface StockTableProps {
  kind: ProductKind;
  rows: readonly StockRow[];
}

export function StockTable({ kind, rows }: StockTableProps) {
  const { edit, begin, type, cancel, save, dropQuestion } = useStockEdit(kind);
  const [opened, setOpened] = useState<Opened>();
  const sheet = useRef<HTMLDivElement>(null);
  const editedId = edit?.base.id;
  useFocusAfterEdit(sheet, editedId);

  const actions: Column<StockRow> = {
    key: "actions",
    phone: "end",
    header: "Actions",
    cell: (row) => (
      <RowActions
        row={row}
        disabled={editedId !== undefined}
        onEdit={() => begin(row)}
        onOpen={(dialog) => setOpened({ dialog, row })}
      />
    ),
  };

  return (
    <Panel
      title={titled(productPlural(kind))}
      aside={
        <Button size="small" variant="secondary" onClick={() => setOpened("new")}>
          New {titled(productLabel(kind))}
        </Button>
      }
    >
      <div ref={sheet}>
        <DataTable
          caption={`Stock of ${productPlural(kind)}`}
          rows={rows}
          rowKey={(row) => row.id}
          columns={[...figures, actions]}
          below={(row) =>
            edit && row.id === editedId ? (
              <StockEditForm edit={edit} onType={type} onSave={() => void save()} onCancel={cancel} />
            ) : undefined
          }
        />
      </div>
      {opened && <OpenedDialog opened={opened} kind={kind} onClose={() => setOpened(undefined)} />}
      <AlertDialog
        open={edit?.question !== undefined}
        onOpenChange={(open) => !open && dropQuestion()}
        title="Save this change?"
        confirmLabel="Save"
        cancelLabel="Keep editing"
        onConfirm={() => void save(true)}
      >
        {edit?.question}
      </AlertDialog>
    </Panel>
  );
}

interface OpenedDialogProps {
  opened: Opened;
  kind: ProductKind;
  onClose: () => void;
}

function OpenedDialog({ opened, kind, onClose }: OpenedDialogProps) {
  if (opened === "new") return <NewItemDialog kind={kind} onClose={onClose} />;
  const RowDialog = opened.dialog === "sale" ? SaleDialog : AddUnitsDialog;
  return <RowDialog row={opened.row} onClose={onClose} />;
}

const figures: readonly Column<StockRow>[] = [
  { key: "name", header: "Name", cell: (row) => <NameAndWindow row={row} /> },
  { key: "price", header: "Price", numeric: true, cell: (row) => formatPrice(row.price) },
  {
    key: "available",
    header: "Available",
    numeric: true,
    cell: (row) => (
      <>
        {row.current_inventory.toLocaleString("en-US")}
        <Unassigned units={unassigned(row)} />
      </>
    ),
  },
  {
    key: "total",
    header: "Total",
    numeric: true,
    cell: (row) => row.total_inventory.toLocaleString("en-US"),
  },
  { key: "held", header: "Held", numeric: true, cell: (row) => row.held.toLocaleString("en-US") },
  {
    key: "sold",
    header: "Sold",
    numeric: true,
    cell: ({ sold, comps }) => (
      <>
        {(sold - comps).toLocaleString("en-US")}
        {comps > 0 && <span className="block text-sm text-ink-soft">{count(comps, "comp")}</span>}
      </>
    ),
  },
  { key: "status", phone: "corner", header: "Status", cell: (row) => <Status row={row} /> },
];

interface RowActionsProps {
  row: StockRow;
  /** While a row of the table is being edited. */
  disabled: boolean;
  onEdit: () => void;
  onOpen: (dialog: "sale" | "units") => void;
}

function RowActions({ row, disabled, onEdit, onOpen }: RowActionsProps) {
  const button = { size: "small", variant: "secondary", disabled } as const;
  return (
    <span className="flex gap-1 max-sm:justify-end xl:gap-2 [&>button]:max-xl:px-1.5 [&>button]:max-xl:text-sm">
      <Button {...button} data-edit={row.id} aria-label={`Edit ${row.name}`} onClick={onEdit}>
        Edit
      </Button>
      <Button {...button} aria-label={`Add units to ${row.name}`} onClick={() => onOpen("units")}>
        Add
      </Button>
      <Button {...button} aria-label={`Sale settings for ${row.name}`} onClick={() => onOpen("sale")}>
        Sale
      </Button>
    </span>
  );
}

function NameAndWindow({ row }: { row: StockRow }) {
  const when = windowText(row);
  return (
    <span className="block wrap-anywhere sm:min-w-18">
      {row.name}
      {when && <span className="mt-0.5 block text-sm text-ink-soft first-letter:uppercase">{when}</span>}
    </span>
  );
}

/** Units that are neither available nor held nor sold, so that the row's figures add up. */
function Unassigned({ units }: { units: number }) {
  if (units === 0) return null;
  return <span className="block text-sm text-ink-soft">+ {units.toLocaleString("en-US")} unassigned</span>;
}

function Status({ row }: { row: StockRow }) {
  const label = stockLabel(row.current_inventory, row.total_inventory);
  return (
    <span className="flex flex-wrap gap-1.5 max-sm:justify-end">
      <Badge tone={labelTone[label]}>{label}</Badge>
      {row.is_hidden && <Badge>Hidden</Badge>}
      {row.sale !== "open" && <SaleBadge state={row.sale} />}
    </span>
  );
}

/** Moves the focus to the first field when an edit begins, and back to the row's button when it ends. */
function useFocusAfterEdit(sheet: RefObject<HTMLDivElement | null>, editedId: string | undefined) {
  const before = useRef<string>(undefined);
  useEffect(() => {
    const target = editedId
      ? sheet.current?.querySelector("input")
      : sheet.current?.querySelector<HTMLElement>(`[data-edit="${before.current}"]`);
    if (editedId !== before.current) target?.focus();
    before.current = editedId;
  }, [editedId, sheet]);
}
