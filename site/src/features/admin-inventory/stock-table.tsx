// A table of stock with one row in edit at a time. Enter saves, Escape leaves.
import { useEffect, useRef, type ComponentProps, type KeyboardEvent, type RefObject } from "react";
import { formatPrice } from "#lib/format.ts";
import { Badge } from "#ui/badge.tsx";
import { Button } from "#ui/button.tsx";
import { DataTable, type Column } from "#ui/data-table.tsx";
import { FieldError } from "#ui/field.tsx";
import { Input } from "#ui/input.tsx";
import { Panel } from "#ui/panel.tsx";
import { stockLabel, type Draft, type StockRow } from "./model.ts";
import { useStockEdit } from "./use-stock-edit.ts";

const labelTone = { Critical: "danger", Low: "warning", Good: "success" } as const;
const widths: Record<keyof Draft, string> = {
  name: "min-w-44",
  price: "w-28 text-right",
  available: "w-24 text-right",
  total: "w-24 text-right",
};

export function StockTable({ title, rows }: { title: string; rows: readonly StockRow[] }) {
  const { edit, begin, type, cancel, save } = useStockEdit();
  const sheet = useRef<HTMLDivElement>(null);
  const editedId = edit?.base.id;
  useFocusAfterEdit(sheet, editedId);

  const problemId = `stock-problem-${editedId}`;
  const field = (row: StockRow, name: keyof Draft, label: string, shown: string) => {
    if (!edit || row.id !== edit.base.id) return shown;
    const control: ComponentProps<typeof Input> = {
      dense: true,
      className: widths[name],
      "aria-label": `${label} of ${edit.base.name}`,
      "aria-invalid": edit.problem ? true : undefined,
      "aria-describedby": edit.problem ? problemId : undefined,
      inputMode: name === "name" ? "text" : name === "price" ? "decimal" : "numeric",
      value: edit.draft[name],
      onChange: (event) => type(name, event.target.value),
      onKeyDown: (event: KeyboardEvent) => {
        if (event.key === "Enter") void save();
        if (event.key === "Escape") cancel();
      },
    };
    return <Input {...control} />;
  };

  const columns: Column<StockRow>[] = [
    { key: "name", header: "Name", cell: (row) => field(row, "name", "Name", row.name) },
    {
      key: "price",
      header: "Price",
      numeric: true,
      cell: (row) => field(row, "price", "Price", formatPrice(row.price)),
    },
    {
      key: "available",
      header: "Available",
      numeric: true,
      cell: (row) => field(row, "available", "Available", row.current_inventory.toLocaleString("en-US")),
    },
    {
      key: "total",
      header: "Total",
      numeric: true,
      cell: (row) => field(row, "total", "Total", row.total_inventory.toLocaleString("en-US")),
    },
    { key: "held", header: "Held", numeric: true, cell: (row) => row.held.toLocaleString("en-US") },
    { key: "sold", header: "Sold", numeric: true, cell: (row) => row.sold.toLocaleString("en-US") },
    { key: "status", header: "Status", cell: (row) => <StockBadge row={row} /> },
    {
      key: "actions",
      header: "Actions",
      cell: (row) =>
        row.id === editedId ? (
          <span className="flex gap-2">
            <Button size="small" busy={edit?.busy ?? false} onClick={save}>
              Save
            </Button>
            <Button size="small" variant="secondary" disabled={edit?.busy} onClick={cancel}>
              Cancel
            </Button>
          </span>
        ) : (
          <Button
            size="small"
            variant="secondary"
            data-edit={row.id}
            aria-label={`Edit ${row.name}`}
            disabled={editedId !== undefined}
            onClick={() => begin(row)}
          >
            Edit
          </Button>
        ),
    },
  ];

  return (
    <Panel title={title}>
      <div ref={sheet}>
        <DataTable
          caption={`Stock of ${title.toLowerCase()}`}
          rows={rows}
          rowKey={(row) => row.id}
          columns={columns}
          below={(row) =>
            edit?.problem && row.id === editedId ? (
              <FieldError id={problemId}>{edit.problem}</FieldError>
            ) : undefined
          }
        />
      </div>
    </Panel>
  );
}

function StockBadge({ row }: { row: StockRow }) {
  const label = stockLabel(row.current_inventory, row.total_inventory);
  return <Badge tone={labelTone[label]}>{label}</Badge>;
}

/** Into the first field when an edit begins, and back to the row's button when it ends. */
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
