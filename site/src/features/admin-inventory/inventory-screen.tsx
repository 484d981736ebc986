import { TriangleAlert } from "lucide-react";
import { attributive } from "contract/shop/kinds";
import { decimalText, formatCents, toCents } from "contract/shop/money";
import { stockLabel } from "contract/shop/stock";
import type { CsvColumn } from "#lib/lists/csv.ts";
import { useCsvExport } from "#lib/lists/use-csv-export.ts";
import { ExportButton } from "#ui/lists/export-button.tsx";
import { FigureCard } from "#ui/figures/figure-card.tsx";
import { FigureRow } from "#ui/figures/figure-row.tsx";
import { ScreenHead } from "#ui/page/screen-head.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { ofKind, revenueOf, unassigned, type Inventory, type StockRow } from "./model.ts";
import { useInventoryStatus } from "./queries.ts";
import { FeePanel } from "./fee-panel.tsx";
import { saleWord } from "./sale-words.tsx";
import { ShopSalePanel } from "./shop-sale-panel.tsx";
import { StockTable } from "./stock-table.tsx";

const inventoryCsv: readonly CsvColumn<StockRow>[] = [
  ["Kind", (row) => row.kind],
  ["Name", (row) => row.name],
  ["Price", (row) => decimalText(toCents(row.price))],
  ["Available", (row) => row.current_inventory],
  ["Total", (row) => row.total_inventory],
  ["Held", (row) => row.held],
  ["Sold", (row) => row.sold - row.comps],
  ["Comps", (row) => row.comps],
  ["Unassigned", (row) => unassigned(row)],
  ["Revenue", (row) => decimalText(toCents(row.revenue))],
  ["Status", (row) => stockLabel(row.current_inventory, row.total_inventory)],
  ["Sale", (row) => (row.is_hidden ? "Hidden" : saleWord(row.sale))],
  ["ID", (row) => row.id],
];

export function InventoryScreen() {
  const { data, isError, error, refetch } = useInventoryStatus();
  const csv = useCsvExport({ name: "inventory", columns: inventoryCsv, rows: () => stockRows(data) });
  return (
    <>
      <ScreenHead title="Inventory Management" actions={data && <ExportButton {...csv} />} />
      {data ? (
        <Stock inventory={data} />
      ) : isError ? (
        <ErrorState
          title="Error loading inventory. Please check your connection and try again."
          cause={error}
          onRetry={() => void refetch()}
        />
      ) : (
        <div role="status">
          <span className="sr-only">Loading inventory</span>
          <Skeleton className="h-24" />
          <Skeleton className="mt-4 h-64" />
          <Skeleton className="mt-4 h-52" />
        </div>
      )}
    </>
  );
}

function Stock({ inventory }: { inventory: Inventory }) {
  const { kinds, products: all } = inventory;
  const low = all.filter(
    (row) => !row.is_hidden && stockLabel(row.current_inventory, row.total_inventory) !== "Good",
  ).length;
  return (
    <div className="space-y-4">
      <FigureRow>
        {kinds.map((kind) => (
          <FigureCard
            key={kind.kind}
            label={`Total ${attributive(kind)} Revenue`}
            value={formatCents(revenueOf(ofKind(inventory, kind)))}
          />
        ))}
        <FigureCard
          label="Low Stock Items"
          icon={low > 0 && <TriangleAlert aria-hidden="true" className="size-4.5 text-candy-deep" />}
          alarming={low > 0}
          value={low}
        />
        <FigureCard label="Total Items" value={all.length} />
      </FigureRow>
      <ShopSalePanel />
      <FeePanel />
      {kinds.map((kind) => (
        <StockTable key={kind.kind} kind={kind} rows={ofKind(inventory, kind)} />
      ))}
    </div>
  );
}

async function* stockRows(inventory: Inventory | undefined) {
  yield (inventory?.kinds ?? []).flatMap((kind) => ofKind(inventory!, kind));
}
