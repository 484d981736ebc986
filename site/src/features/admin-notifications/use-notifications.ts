// Listens to the database's changes and turns them into notifications, while an administrator is signed in.
import { useEffect, useState, useSyncExternalStore } from "react";
import { followChanges } from "#lib/changes.ts";
import { logError } from "#lib/error-log.ts";
import { getSupabase } from "#lib/supabase.ts";
import { toast } from "#ui/toast.ts";
import {
  added,
  alertNotification,
  createStockWatch,
  orderNotification,
  vendorNotification,
  type Notification,
  type StockLevel,
} from "./model.ts";
import { createNotificationStore, type NotificationStore } from "./store.ts";

const none: readonly Notification[] = [];

export function useNotifications(userId: string) {
  const [store] = useState(() => createNotificationStore(userId));
  const list = useSyncExternalStore(store.subscribe, store.get, () => none);
  useEffect(() => listen(store), [store]);
  return { list, change: store.change };
}

function listen(store: NotificationStore): () => void {
  const add = (notification: Notification | undefined) =>
    notification && store.change((list) => added(list, notification));
  const watch = createStockWatch();
  learnStock(watch.learn).catch((error: unknown) => logError("learn the stock", error));

  return followChanges("back-office-notifications", [
    {
      table: "orders",
      event: "INSERT",
      tell: ({ row }) => add(orderNotification(row as Parameters<typeof orderNotification>[0])),
    },
    {
      table: "audit_logs",
      event: "INSERT",
      tell({ row }) {
        const alert = alertNotification(row as Parameters<typeof alertNotification>[0]);
        if (!alert) return;
        add(alert);
        toast.error(alert.title, alert.message);
      },
    },
    {
      table: "vendor_applications",
      event: "INSERT",
      tell: ({ row }) => add(vendorNotification(row as Parameters<typeof vendorNotification>[0])),
    },
    {
      table: "ticket_types",
      event: "UPDATE",
      tell: ({ row, at }) => add(watch.see(row as unknown as StockLevel, at)),
    },
    {
      table: "parking_passes",
      event: "UPDATE",
      tell: ({ row, at }) =>
        add(watch.see({ ...(row as unknown as StockLevel), name: String(row.type_name) }, at)),
    },
  ]);
}

/** Without it, the first sale of something that is low already would be told as news. */
async function learnStock(learn: (level: StockLevel) => void): Promise<void> {
  const supabase = await getSupabase();
  const [tickets, parking] = await Promise.all([
    supabase.from("ticket_types").select("id, name, current_inventory, total_inventory"),
    supabase.from("parking_passes").select("id, name:type_name, current_inventory, total_inventory"),
  ]);
  for (const level of [...(tickets.data ?? []), ...(parking.data ?? [])]) learn(level);
}
