import { useState } from "react";
import { useListView } from "#lib/lists/list-view.ts";
import { useList } from "#lib/lists/list.ts";
import { useCsvExport } from "#lib/lists/use-csv-export.ts";
import { Badge } from "#ui/basics/badge.tsx";
import { Button } from "#ui/basics/button.tsx";
import { ReadNote } from "#ui/forms/read-note.tsx";
import { DataTable, type Column } from "#ui/lists/data-table.tsx";
import { FilterSelect } from "#ui/lists/filter-select.tsx";
import { ListFrame } from "#ui/lists/list-frame.tsx";
import { isPromoState, stateOf, states, usesText, valueText, windowText, type PromoCode } from "./model.ts";
import { PromoCodeDialog } from "./promo-code-dialog.tsx";
import { promoCsv, promoFileRows, promoList, usePause, useTicketTypeNames } from "./queries.ts";

export function PromoCodesScreen() {
  const view = useListView(promoList.size);
  const asked = view.filter("state");
  const filter = { search: view.search.settled, state: isPromoState(asked) ? asked : undefined };
  const list = useList(promoList, filter, view);
  const types = useTicketTypeNames();
  const csv = useCsvExport({
    name: "promo-codes",
    columns: promoCsv,
    rows: () => promoFileRows(filter, types),
  });
  const [edited, setEdited] = useState<PromoCode | "new">();
  const pause = usePause();
  return (
    <>
      <ListFrame
        title="Promo Codes"
        rowsAre="promo codes"
        list={list}
        csv={csv}
        actions={
          <Button size="small" onClick={() => setEdited("new")}>
            New Code
          </Button>
        }
        search={{ ...view.search, label: "Search by code or note", placeholder: "Search by code or note" }}
        filters={
          <>
            <FilterSelect
              label="Status"
              value={filter.state}
              all="All statuses"
              options={states.map(({ state, name }) => ({ value: state, label: name }))}
              onChoose={(state) => view.setFilter("state", state)}
            />
            {types.isError && !edited && <ReadNote read={types} what="ticket types" />}
          </>
        }
      >
        {({ rows }) => (
          <DataTable
            caption="Promo codes"
            rows={rows}
            rowKey={(row) => row.id}
            empty={filter.search || filter.state ? "No promo codes match." : "No promo codes yet."}
            columns={columnsWith(types.data, setEdited, pause)}
          />
        )}
      </ListFrame>
      {edited && (
        <PromoCodeDialog
          row={edited === "new" ? undefined : edited}
          types={types}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  );
}

function columnsWith(
  names: ReadonlyMap<string, string> | undefined,
  onEdit: (row: PromoCode) => void,
  pause: ReturnType<typeof usePause>,
): readonly Column<PromoCode>[] {
  return [
    {
      key: "code",
      header: "Code",
      cell: (row) => (
        <>
          <span className="font-semibold wrap-anywhere">{row.code}</span>
          {row.note && <span className="block text-sm text-ink-soft wrap-anywhere">{row.note}</span>}
        </>
      ),
    },
    {
      key: "value",
      header: "Discount",
      cell: (row) => (
        <>
          {valueText(row)}
          <span className="block text-sm text-ink-soft wrap-anywhere">
            {row.ticket_type_ids.map((id) => names?.get(id) ?? "…").join(", ") || "All tickets"}
          </span>
        </>
      ),
    },
    {
      key: "uses",
      header: "Used",
      cell: (row) => (
        <span className="tabular-nums">
          {usesText(row)}
          {row.max_uses_per_buyer !== null && (
            <span className="block text-sm text-ink-soft">{row.max_uses_per_buyer} per buyer</span>
          )}
        </span>
      ),
    },
    { key: "window", header: "When", cell: (row) => <span className="text-sm">{windowText(row)}</span> },
    {
      key: "state",
      phone: "corner",
      header: "Status",
      cell: (row) => <Badge tone={stateOf(row).tone}>{stateOf(row).name}</Badge>,
    },
    {
      key: "actions",
      phone: "end",
      header: "Actions",
      cell: (row) => <RowActions {...{ row, pause }} onEdit={() => onEdit(row)} />,
    },
  ];
}

interface RowActionsProps {
  row: PromoCode;
  pause: ReturnType<typeof usePause>;
  onEdit: () => void;
}

function RowActions({ row, pause, onEdit }: RowActionsProps) {
  const next = row.is_paused ? "Resume" : "Pause";
  return (
    <span className="flex flex-wrap gap-2 xl:flex-nowrap">
      <Button size="small" variant="secondary" aria-label={`Edit ${row.code}`} onClick={onEdit}>
        Edit
      </Button>
      <Button
        size="small"
        variant="secondary"
        aria-label={`${next} ${row.code}`}
        busy={pause.isPending && pause.variables.id === row.id}
        onClick={() => pause.mutate(row)}
      >
        {next}
      </Button>
    </span>
  );
}
