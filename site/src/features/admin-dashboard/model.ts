// The responses of the dashboard's functions. Sales of another shape are read as none; health and visits are then
// an error (PRODUCT 9.12).
import { productKind } from "#lib/lists/product-kind.ts";
import { capitalized, counted, listed } from "contract/shop/kinds";
import { toCents } from "contract/shop/money";
import { z } from "zod";
import { parseOr } from "#lib/lists/back-office-reads.ts";
import { count } from "#lib/format.ts";

const salesOverview = z.object({
  total_revenue: z.number(),
  /** In the order of lists. */
  kinds: z.array(productKind),
  /** Comps are not counted as sold. */
  products: z.array(
    z.object({
      kind: z.string(),
      name: z.string(),
      sold: z.number(),
      comps: z.number(),
      revenue: z.number(),
    }),
  ),
  by_channel: z.array(
    z.object({
      channel: z.enum(["online", "door", "comp"]),
      /** Units, by kind. */
      sold: z.record(z.string(), z.number()),
      revenue: z.number(),
    }),
  ),
});
export type SalesOverview = z.infer<typeof salesOverview>;

const noSales: SalesOverview = { total_revenue: 0, kinds: [], products: [], by_channel: [] };

/** A response of another shape is logged and read as no sales. */
export function parseSalesOverview(answer: unknown): SalesOverview {
  return parseOr("sales overview", salesOverview, answer, noSales);
}

const systemHealth = z.object({
  system_status: z.enum(["healthy", "warning", "critical"]),
  last_updated: z.string(),
  orders_today: z.number(),
  pending_orders: z.number(),
  failed_orders: z.number(),
  /** Of the last hour, when they are out of proportion to what was sold; otherwise 0. */
  unusual_declines: z.number(),
  low_inventory_alerts: z.number(),
  recent_errors: z.number(),
});
export type SystemHealth = z.infer<typeof systemHealth>;

/** @throws Error 'Invalid system health data received' */
export function parseSystemHealth(answer: unknown): SystemHealth {
  const parsed = systemHealth.safeParse(answer);
  if (!parsed.success) throw new Error("Invalid system health data received", { cause: parsed.error });
  return parsed.data;
}

export interface HealthAlert {
  text: string;
  /** The screen where something can be done about it. */
  to: string;
}

/** The alerts of the health panel, in the words of PRODUCT 9.3. */
export function healthAlerts(health: SystemHealth): HealthAlert[] {
  const { low_inventory_alerts: low, failed_orders: failed, recent_errors: errors } = health;
  const declined = health.unusual_declines;
  return [
    ...(low > 0 ? [{ text: `${count(low, "item")} low in stock`, to: "/admin/inventory" }] : []),
    ...(failed > 0
      ? [
          {
            text: `${count(failed, "failed order")} ${failed === 1 ? "needs" : "need"} attention`,
            to: "/admin/orders?status=attention",
          },
        ]
      : []),
    ...(declined > 0
      ? [
          {
            text: `${count(declined, "payment")} declined in the last hour`,
            to: "/admin/orders?status=failed",
          },
        ]
      : []),
    ...(errors > 0
      ? [{ text: count(errors, "recent system error"), to: "/admin/audit-logs?kind=Errors" }]
      : []),
  ];
}

const visitStats = z.object({
  current_online: z.number(),
  visits_today: z.number(),
  unique_visitors_today: z.number(),
  popular_pages: z.array(z.object({ page: z.string(), visits: z.number() })),
  hourly_traffic: z.array(z.object({ hour: z.string(), visits: z.number() })),
});
export type VisitStats = z.infer<typeof visitStats>;

/** @throws Error 'Invalid response format from visit stats API' */
export function parseVisitStats(answer: unknown): VisitStats {
  const parsed = visitStats.safeParse(answer);
  if (!parsed.success) {
    throw new Error("Invalid response format from visit stats API", { cause: parsed.error });
  }
  return parsed.data;
}

/** The latest hours, earliest first. The response has the latest first and includes hours without visits. */
export function shownHours({ hourly_traffic: hours }: VisitStats): VisitStats["hourly_traffic"] {
  return hours.slice(0, HOURS_SHOWN).toReversed();
}

export interface SoldType {
  name: string;
  sold: number;
  comps: number;
  revenue: number;
  /** A total of the rows above. */
  isSum?: boolean;
}

const sum = (rows: readonly SoldType[], figure: "sold" | "comps"): number =>
  rows.reduce((all, row) => all + row[figure], 0);

/** The kinds that anything is offered of, each with its products. */
export const soldByKind = ({ kinds, products }: SalesOverview) =>
  kinds
    .map((kind) => ({ kind, rows: products.filter((row) => row.kind === kind.kind) }))
    .filter(({ kind, rows }) => kind.needs_attendee || rows.length > 0);

/** Of all kinds with an attendee. */
export function ticketsOf(sales: SalesOverview) {
  const rows = soldByKind(sales).flatMap((each) => (each.kind.needs_attendee ? each.rows : []));
  return { rows, sold: sum(rows, "sold"), comps: sum(rows, "comps") };
}

/** "2 parking passes" */
export const extrasText = (sales: SalesOverview): string =>
  listed(
    soldByKind(sales).flatMap(({ kind, rows }) =>
      kind.needs_attendee ? [] : [counted(sum(rows, "sold"), kind)],
    ),
  );

/**
 * Tickets with their total, which is the card "Tickets Sold"; then each other kind; last the total of all, which is
 * "Total Revenue".
 */
export function soldTypes(sales: SalesOverview): SoldType[] {
  const tickets = ticketsOf(sales);
  const revenue = tickets.rows.reduce((cents, row) => cents + toCents(row.revenue), 0) / 100;
  const all = sales.products;
  const titles = listed(soldByKind(sales).map(({ kind }) => kind.title)).toLowerCase();
  return [
    ...tickets.rows,
    { name: "All tickets", sold: tickets.sold, comps: tickets.comps, revenue, isSum: true },
    ...soldByKind(sales).flatMap(({ kind, rows }) => (kind.needs_attendee ? [] : rows)),
    {
      name: capitalized(titles),
      sold: sum(all, "sold"),
      comps: sum(all, "comps"),
      revenue: sales.total_revenue,
      isSum: true,
    },
  ];
}

export interface ChannelSales {
  name: string;
  /** Units, by kind. */
  sold: Readonly<Record<string, number>>;
  revenue: number;
}

const channelNames = { online: "Online", door: "Door", comp: "Comps" } as const;

/** Sales by channel; empty while everything is sold online. */
export function channelSales(sales: SalesOverview): ChannelSales[] {
  const used = sales.by_channel.filter(
    ({ channel, sold }) => channel === "online" || Object.values(sold).some((units) => units > 0),
  );
  return used.length > 1
    ? used.map(({ channel, ...sums }) => ({ name: channelNames[channel], ...sums }))
    : [];
}

/** A read that refreshes itself, as the query cache knows it. */
export interface LiveRead {
  isError: boolean;
  /** When it last succeeded; 0 if never. */
  dataUpdatedAt: number;
  errorUpdatedAt: number;
}

/** Since when the realtime connection has been down or a read has failed; undefined while all is live. */
export function offlineSince(reads: readonly LiveRead[], downSince: number | undefined): number | undefined {
  const failing = reads
    .filter(({ isError }) => isError)
    .map(({ dataUpdatedAt, errorUpdatedAt }) => dataUpdatedAt || errorUpdatedAt);
  const times = downSince === undefined ? failing : [...failing, downSince];
  return times.length > 0 ? Math.min(...times) : undefined;
}

export const POPULAR_PAGES = 5;
const HOURS_SHOWN = 8;
export const INVENTORY_SHOWN = 3;
/** Below this, the units left are shown in red. */
export const FEW_LEFT = 10;

export type ClientHealth = "healthy" | "warning" | "critical";

/** The health of this browser's session (PRODUCT 9.2). */
export function clientHealth(errors: number, rateLimitHits: number): ClientHealth {
  if (errors > 10 || rateLimitHits > 20) return "critical";
  if (errors > 5 || rateLimitHits > 10) return "warning";
  return "healthy";
}
