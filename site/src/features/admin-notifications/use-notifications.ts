// Listens to the database's changes and turns them into notifications, while an administrator is signed in.
import { useEffect, useState, useSyncExternalStore } from "react";
import { logError } from "#lib/error-log.ts";
import { getSupabase, type Supabase } from "#lib/supabase.ts";
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
  useEffect(() => {
    let stopped = false;
    let leave = () => {};
    getSupabase()
      .then(async (supabase) => {
        const left = await listen(supabase, store);
        if (stopped) left();
        else leave = left;
      })
      .catch((error: unknown) => logError("listen for notifications", error));
    return () => {
      stopped = true;
      leave();
    };
  }, [store]);
  return { list, change: store.change };
}

type ParkingLevel = Omit<StockLevel, "name"> & { type_name: string };

async function listen(supabase: Supabase, store: NotificationStore): Promise<() => void> {
  const add = (notification: Notification | undefined) =>
    notification && store.change((list) => added(list, notification));
  const watch = createStockWatch();
  await learnStock(supabase, watch.learn);
  const seeStock = (level: StockLevel, at: string) => add(watch.see(level, at));

  const schema = "public";
  const channel = supabase
    .channel("back-office-notifications")
    .on("postgres_changes", { event: "INSERT", schema, table: "orders" }, ({ new: row }) =>
      add(orderNotification(row as Parameters<typeof orderNotification>[0])),
    )
    .on("postgres_changes", { event: "INSERT", schema, table: "audit_logs" }, ({ new: row }) => {
      const alert = alertNotification(row as Parameters<typeof alertNotification>[0]);
      if (!alert) return;
      add(alert);
      toast.error(alert.title, alert.message);
    })
    .on("postgres_changes", { event: "INSERT", schema, table: "vendor_applications" }, ({ new: row }) =>
      add(vendorNotification(row as Parameters<typeof vendorNotification>[0])),
    )
    .on("postgres_changes", { event: "UPDATE", schema, table: "ticket_types" }, (change) =>
      seeStock(change.new as StockLevel, change.commit_timestamp),
    )
    .on("postgres_changes", { event: "UPDATE", schema, table: "parking_passes" }, (change) => {
      const { type_name: name, ...level } = change.new as ParkingLevel;
      seeStock({ ...level, name }, change.commit_timestamp);
    })
    .subscribe();
  return () => void supabase.removeChannel(channel);
}

/** Without it, the first sale of something that is low already would be told as news. */
async function learnStock(supabase: Supabase, learn: (level: StockLevel) => void): Promise<void> {
  const [tickets, parking] = await Promise.all([
    supabase.from("ticket_types").select("id, name, current_inventory, total_inventory"),
    supabase.from("parking_passes").select("id, name:type_name, current_inventory, total_inventory"),
  ]);
  for (const level of [...(tickets.data ?? []), ...(parking.data ?? [])]) learn(level);
}
