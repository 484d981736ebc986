// The back office's notifications: which events become one, and how they change. Pure; store.ts stores them.
import { formatPrice, isolated } from "#lib/format.ts";
import type { Database, Json } from "contract/database";
import { stockLabel, type StockLabel } from "contract/shop/stock";

type Row<Table extends keyof Database["public"]["Tables"]> = Database["public"]["Tables"][Table]["Row"];

export interface Notification {
  id: string;
  type: "new_order" | "low_inventory" | "vendor_application" | "system_alert";
  title: string;
  message: string;
  data: Record<string, Json>;
  created_at: string;
  read: boolean;
}

export const LISTED = 20;
/** More than the badge counts; the oldest are dropped first. */
export const KEPT = 200;

export function orderNotification(
  order: Pick<Row<"orders">, "id" | "buyer_full_name" | "total_amount" | "created_at">,
): Notification {
  return {
    id: `new_order:${order.id}`,
    type: "new_order",
    title: "New Order Received",
    message: `Order from ${isolated(order.buyer_full_name)} - ${formatPrice(order.total_amount)}`,
    data: { order_id: order.id },
    created_at: order.created_at,
    read: false,
  };
}

/** Undefined unless the entry's kind is Errors. A change does not carry the kind (supabase/migrations, audit_logs). */
export function alertNotification(
  entry: Pick<Row<"audit_logs">, "id" | "action_type" | "table_name" | "created_at">,
): Notification | undefined {
  const { action_type: action } = entry;
  if (!/ERROR|CRITICAL/i.test(action) || action.startsWith("FETCH_ERROR_")) return undefined;
  return {
    id: `system_alert:${entry.id}`,
    type: "system_alert",
    title: "System Alert",
    message: `${entry.action_type} in ${entry.table_name ?? "the system"}`,
    data: { audit_log_id: entry.id },
    created_at: entry.created_at,
    read: false,
  };
}

export function vendorNotification(
  application: Pick<Row<"vendor_applications">, "id" | "booth_name" | "submission_date">,
): Notification {
  return {
    id: `vendor_application:${application.id}`,
    type: "vendor_application",
    title: "New Vendor Application",
    message: `${isolated(application.booth_name)} has applied`,
    data: { vendor_application_id: application.id },
    created_at: application.submission_date,
    read: false,
  };
}

/** The order that a notification announces. */
export function orderOf({ type, data }: Notification): string | undefined {
  return type === "new_order" && typeof data?.order_id === "string" ? data.order_id : undefined;
}

/** An order is announced when it is placed. A mark shows whether it is still unpaid. */
export const orderMarks: Readonly<Record<string, string>> = { pending: "unpaid", cancelled: "cancelled" };

/** The screen that a notification links to. */
export function placeOf({ type, data }: Notification): string {
  const { order_id: order, vendor_application_id: application } = data ?? {};
  if (type === "new_order") return typeof order === "string" ? `/admin/orders/${order}` : "/admin/orders";
  if (type === "vendor_application") {
    return typeof application === "string" ? `/admin/vendors?application=${application}` : "/admin/vendors";
  }
  return type === "low_inventory" ? "/admin/inventory" : "/admin/audit-logs?kind=Errors";
}

export interface StockLevel {
  id: string;
  name: string;
  current_inventory: number;
  total_inventory: number;
  is_hidden: boolean;
}

const order: readonly StockLabel[] = ["Good", "Low", "Critical"];

/** As in the health figures: hidden items never count as low. */
const levelLabel = ({ current_inventory: left, total_inventory: total, is_hidden }: StockLevel): StockLabel =>
  is_hidden ? "Good" : stockLabel(left, total);

/** Remembers each item's label and notifies when one gets worse, not at each sale below the threshold. */
export function createStockWatch() {
  const known = new Map<string, { label: StockLabel; at: number }>();
  return {
    /** Records a level without notifying. */
    learn(level: StockLevel, at: string): void {
      known.set(level.id, { label: levelLabel(level), at: Date.parse(at) });
    },
    /** Returns nothing for an item seen for the first time, or for a response older than what is known. */
    see(level: StockLevel, at: string): Notification | undefined {
      const before = known.get(level.id);
      if (before && Date.parse(at) < before.at) return undefined;
      this.learn(level, at);
      const label = levelLabel(level);
      if (!before || order.indexOf(label) <= order.indexOf(before.label)) return undefined;
      return {
        id: `low_inventory:${level.id}:${at}`,
        type: "low_inventory",
        title: "Low Inventory",
        message: `${isolated(level.name)}: ${level.current_inventory} left of ${level.total_inventory}`,
        data: { item_id: level.id },
        created_at: at,
        read: false,
      };
    },
  };
}

const REMEMBERED = 2000;

/**
 * Remembers which rows existed before, which were announced (even after the list was cleared), and the latest time of each
 * type.
 */
export function createMemory() {
  const known = new Set<string>();
  const announced = new Set<string>();
  const latest = new Map<Notification["type"], number>();
  const keepTime = ({ type, created_at }: Notification) =>
    void latest.set(type, Math.max(latest.get(type) ?? 0, Date.parse(created_at)));
  return {
    /** Records it as an existing row, which catching up skips. */
    learn(notification: Notification): void {
      keepTime(notification);
      known.add(notification.id);
    },
    isKnown: ({ id }: Notification): boolean => known.has(id),
    /** Returns true once for each notification. An arriving change is news even if a read has just learned its row. */
    isNews(notification: Notification): boolean {
      keepTime(notification);
      if (announced.has(notification.id)) return false;
      announced.add(notification.id);
      const [oldest] = announced;
      if (oldest !== undefined && announced.size > REMEMBERED) announced.delete(oldest);
      return true;
    },
    /** From when on rows of the type may have been missed: `beforeMs` before the latest; undefined when none is known. */
    since(type: Notification["type"], beforeMs: number): string | undefined {
      const time = latest.get(type);
      return time === undefined ? undefined : new Date(time - beforeMs).toISOString();
    },
  };
}

/** Newest first. An event that two tabs announce counts once. */
export function added(list: readonly Notification[], notification: Notification): readonly Notification[] {
  if (list.some(({ id }) => id === notification.id)) return list;
  return [notification, ...list].slice(0, KEPT);
}

export function markRead(list: readonly Notification[], id?: string): readonly Notification[] {
  return list.map((item) => (id === undefined || item.id === id ? { ...item, read: true } : item));
}

export function unreadCount(list: readonly Notification[]): number {
  return list.filter(({ read }) => !read).length;
}

/** "99+" above 99. */
export function badgeText(unread: number): string {
  return unread > 99 ? "99+" : String(unread);
}

export function relativeTime(iso: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(iso)) / 60_000);
  if (!(minutes >= 1)) return "Just now";
  if (minutes < 60) return `${minutes}m ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours}h ago` : `${Math.floor(hours / 24)}d ago`;
}

export function isNotification(value: unknown): value is Notification {
  if (typeof value !== "object" || value === null) return false;
  const entry = value as Partial<Notification>;
  return [entry.id, entry.type, entry.title, entry.message, entry.created_at].every(
    (part) => typeof part === "string",
  );
}
