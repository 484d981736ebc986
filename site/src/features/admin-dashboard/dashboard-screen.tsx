// The day at a glance. Sales, users and stock are props; visits and health fetch their own data.
import { Banknote, Ticket, Users } from "lucide-react";
import type { ReactNode } from "react";
import { count, formatClock, formatPrice } from "#lib/format.ts";
import { BarChart } from "#ui/figures/bar-chart.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import { DataTable } from "#ui/lists/data-table.tsx";
import { FigureCard } from "#ui/figures/figure-card.tsx";
import { Panel } from "#ui/page/panel.tsx";
import { ScreenHead } from "#ui/page/screen-head.tsx";
import { ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import { StaleNote } from "#ui/lists/stale-note.tsx";
import { ClientHealthStrip } from "./client-health-strip.tsx";
import { HealthPanel } from "./health-panel.tsx";
import { LiveBadge } from "./live-badge.tsx";
import {
  FEW_LEFT,
  INVENTORY_SHOWN,
  channelSales,
  extrasText,
  offlineSince,
  soldByKind,
  soldTypes,
  ticketsOf,
  type ChannelSales,
  type LiveRead,
  type SalesOverview,
  type SoldType,
} from "./model.ts";
import { useSystemHealth, useVisitStatsRead } from "./queries.ts";
import { VisitsPanel } from "./visits-panel.tsx";

interface DashboardFigures {
  sales: SalesOverview;
  users: { total_users: number; users_today: number; users_this_week: number; users_this_month: number };
  ticketTypes: readonly { id: string; name: string; current_inventory: number }[];
}

interface DashboardScreenProps {
  figures: DashboardFigures | undefined;
  /** The reads behind the figures. */
  reads: readonly LiveRead[];
  /** Why a read failed. */
  error: Error | null;
  onRetry: () => void;
}

export function DashboardScreen({ figures, reads, error, onRetry }: DashboardScreenProps) {
  const health = useSystemHealth();
  const visits = useVisitStatsRead();
  const oldest = offlineSince(reads, undefined);
  return (
    <>
      <ScreenHead
        title="Dashboard Overview"
        badge={<LiveBadge reads={[...reads, health, visits]}>Live Data</LiveBadge>}
      />
      <div className="space-y-4">
        <VisitsPanel />
        <HealthPanel />
        {figures && oldest !== undefined && <StaleNote since={formatClock(oldest)} onRetry={onRetry} />}
        {figures ? (
          <Figures {...figures} />
        ) : error ? (
          <ErrorState
            title="Error loading dashboard data. Please check your connection and try again."
            cause={error}
            onRetry={onRetry}
          />
        ) : (
          <LoadingFigures />
        )}
      </div>
    </>
  );
}

function Figures({ sales, users, ticketTypes }: DashboardFigures) {
  const tickets = ticketsOf(sales);
  return (
    <>
      <dl className="grid gap-4 sm:grid-cols-3">
        <FigureCard
          label="Total Revenue"
          icon={<Banknote aria-hidden="true" className="size-4.5" />}
          value={formatPrice(sales.total_revenue)}
          note="From completed orders"
        />
        <FigureCard
          label="Tickets Sold"
          icon={<Ticket aria-hidden="true" className="size-4.5" />}
          value={tickets.sold}
          note={[extrasText(sales), tickets.comps > 0 && `plus ${count(tickets.comps, "comp")}`]
            .filter(Boolean)
            .join(", ")}
        />
        <FigureCard
          label="Registered Users"
          icon={<Users aria-hidden="true" className="size-4.5" />}
          value={users.total_users}
          note={`+${users.users_today} today`}
        />
      </dl>
      <ClientHealthStrip />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <SalesByType sales={sales} />
        <div className="grid content-start gap-4">
          <dl className="grid grid-cols-2 gap-4">
            <FigureCard label="Users This Week" value={users.users_this_week} />
            <FigureCard label="Users This Month" value={users.users_this_month} />
          </dl>
          <Panel title="Inventory Status">
            <ul className="divide-y divide-ink/12">
              {ticketTypes.slice(0, INVENTORY_SHOWN).map((type) => (
                <li key={type.id} className="flex items-baseline justify-between gap-3 py-2">
                  <span className="min-w-0 break-words">{type.name}</span>
                  <Left units={type.current_inventory} />
                </li>
              ))}
            </ul>
            {ticketTypes.length === 0 && <p className="text-ink-soft">No ticket types yet.</p>}
          </Panel>
        </div>
      </div>
    </>
  );
}

function Left({ units }: { units: number }): ReactNode {
  return (
    <span
      className={classNames("shrink-0 font-semibold tabular-nums", units < FEW_LEFT && "text-candy-deep")}
    >
      {units.toLocaleString("en-US")} left
    </span>
  );
}

function SalesByType({ sales }: { sales: SalesOverview }) {
  const cell = (row: SoldType, text: string) => (row.isSum ? <strong>{text}</strong> : text);
  return (
    <Panel title="Ticket Sales by Type">
      <BarChart
        tabled
        caption="Tickets sold by type"
        labelHeader="Type"
        valueHeader="Sold"
        empty="No ticket types yet."
        bars={ticketsOf(sales).rows.map((row) => ({
          key: row.name,
          label: row.name,
          value: row.sold,
        }))}
      />
      <div className="mt-4">
        <DataTable
          caption="Sold and revenue by type"
          rowKey={({ name }) => name}
          rows={soldTypes(sales)}
          columns={[
            { key: "type", header: "Type", cell: (row) => cell(row, row.name) },
            {
              key: "sold",
              header: "Sold",
              numeric: true,
              cell: (row) => cell(row, row.sold.toLocaleString("en-US")),
            },
            ...(sales.products.some(({ comps }) => comps > 0)
              ? [
                  {
                    key: "comps",
                    header: "Comps",
                    numeric: true,
                    cell: (row: SoldType) => cell(row, row.comps.toLocaleString("en-US")),
                  },
                ]
              : []),
            {
              key: "revenue",
              header: "Revenue",
              numeric: true,
              cell: (row) => cell(row, formatPrice(row.revenue)),
            },
          ]}
        />
      </div>
      <Channels sales={sales} />
    </Panel>
  );
}

function Channels({ sales }: { sales: SalesOverview }) {
  const rows = channelSales(sales);
  if (rows.length === 0) return null;
  return (
    <div className="mt-4">
      <DataTable
        caption="Sold by channel"
        rowKey={({ name }) => name}
        rows={rows}
        columns={[
          { key: "channel", header: "Channel", cell: ({ name }) => name },
          ...soldByKind(sales).map(({ kind: { kind, title } }) => ({
            key: kind,
            header: title,
            numeric: true,
            cell: ({ sold }: ChannelSales) => (sold[kind] ?? 0).toLocaleString("en-US"),
          })),
          { key: "revenue", header: "Revenue", numeric: true, cell: ({ revenue }) => formatPrice(revenue) },
        ]}
      />
    </div>
  );
}

function LoadingFigures() {
  return (
    <div>
      <p role="status" className="mb-3 text-ink-soft">
        Loading dashboard data...
      </p>
      <div className="grid gap-4 sm:grid-cols-3">
        <Skeleton className="h-28" />
        <Skeleton className="h-28" />
        <Skeleton className="h-28" />
      </div>
      <Skeleton className="mt-4 h-72" />
    </div>
  );
}
