// Orders as the list shows them: its filters, and the words and tones of a row.
import { z } from "zod";
import { parseOr } from "#lib/lists/back-office-reads.ts";
import type { ListPage } from "#lib/lists/list-pages.ts";
import type { BadgeTone } from "#ui/basics/badge.tsx";

export const ORDERS_PAGE = 10;

/** The list's filters: the statuses, and the cancelled orders that need attention. */
export const orderFilters = [
  { value: "pending", label: "Pending" },
  { value: "confirmed", label: "Confirmed" },
  { value: "completed", label: "Completed" },
  { value: "cancelled", label: "Cancelled" },
  { value: "failed", label: "Failed" },
  { value: "attention", label: "Needs attention" },
] as const;
type OrderStatusFilter = (typeof orderFilters)[number]["value"];

export function isOrderStatusFilter(value: string): value is OrderStatusFilter {
  return orderFilters.some((filter) => filter.value === value);
}

/** The label of an order's channel. */
export const channelNames: Record<string, string> = { online: "Online", door: "Door sale", comp: "Comp" };
export const channelFilters = [
  { value: "online", label: "Online" },
  { value: "door", label: "Door sales" },
  { value: "comp", label: "Comps" },
] as const;

export interface OrderFilter {
  status: OrderStatusFilter | undefined;
  search: string;
  channel: string | undefined;
  tag: string | undefined;
}

export const statusTone: Record<string, BadgeTone> = {
  pending: "warning",
  confirmed: "success",
  completed: "success",
  cancelled: "danger",
};

const orderSummary = z.object({
  id: z.string(),
  buyer_full_name: z.string(),
  buyer_email: z.string(),
  status: z.string(),
  channel: z.string(),
  tags: z.array(z.string()),
  /** Its payment is in an open dispute. */
  is_disputed: z.boolean(),
  /** Refunds that failed and that nobody has made good. */
  owed_cents: z.number(),
  total_amount: z.number(),
  item_count: z.number(),
  created_at: z.string(),
});
export type OrderSummary = z.infer<typeof orderSummary>;

const orderPage = z.object({
  orders: z.array(orderSummary),
  /** Matching the filter and the search. */
  total_count: z.number(),
  total_is_exact: z.boolean(),
  /** Of all orders. */
  all_count: z.number(),
  page_size: z.number(),
  page_offset: z.number(),
});

const noOrders: z.infer<typeof orderPage> = {
  orders: [],
  total_count: 0,
  total_is_exact: true,
  all_count: 0,
  page_size: ORDERS_PAGE,
  page_offset: 0,
};

export interface OrderPage extends ListPage<OrderSummary> {
  /** The number of all orders. */
  all: number;
}

/** A response of another shape is logged and read as no orders (PRODUCT 9.12). */
export function parseOrderPage(answer: unknown): OrderPage {
  const page = parseOr("orders", orderPage, answer, noOrders);
  return {
    rows: page.orders,
    total: page.total_count,
    exact: page.total_is_exact,
    all: page.all_count,
  };
}
