// Listens to the database's changes and turns them into notifications, while an administrator is signed in. What happened
// while the connection was down is read when it is back.
import { useEffect, useState, useSyncExternalStore } from "react";
import { followChanges, type Change } from "#lib/api/changes.ts";
import { logError } from "#lib/browser/error-log.ts";
import { getSupabase, type Supabase } from "#lib/api/supabase.ts";
import { toast } from "#ui/overlays/toast.ts";
import { added, createMemory, createStockWatch, type Notification, type StockLevel } from "./model.ts";
import { readStock, rowsOf, sources, type Source } from "./sources.ts";
import { createNotificationStore, type NotificationStore } from "./store.ts";

/** After an interruption: a transaction may have become visible so long after the time its rows bear. */
const LATE_MS = 60_000;

const none: readonly Notification[] = [];

export function useNotifications(userId: string) {
  const [store] = useState(() => createNotificationStore(userId));
  const list = useSyncExternalStore(store.subscribe, store.get, () => none);
  useEffect(() => listen(store), [store]);
  return { list, change: store.change };
}

function listen(store: NotificationStore): () => void {
  const memory = createMemory();
  const stock = createStockWatch();

  function tell(notification: Notification | undefined) {
    if (!notification || !memory.isNews(notification)) return;
    store.change((list) => added(list, notification));
    if (notification.type === "system_alert") toast.error(notification.title, notification.message);
  }

  /** What each source still has to be asked before its rows can be news. */
  const unlearned = new Set<Source>(sources);
  let stockLearned = false;

  /** What there is when the page is opened is no news; nor, where that could not be read, when it can. */
  async function learnSource(supabase: Supabase, source: Source) {
    for (const row of rowsOf(await source.read(supabase, undefined))) {
      const known = source.notify(row);
      if (known) memory.isNews(known);
    }
    unlearned.delete(source);
  }

  async function learnStock(supabase: Supabase) {
    for (const level of await readStock(supabase)) stock.learn(level, level.updated_at);
    stockLearned = true;
  }

  async function learn() {
    const supabase = await getSupabase();
    await settleAll([...sources.map((source) => learnSource(supabase, source)), learnStock(supabase)]);
  }

  /** Tells what happened while nothing flowed, the oldest first. */
  async function catchUp(lateMs: number) {
    await learned;
    const supabase = await getSupabase();
    const readSource = async (source: Source) => {
      if (unlearned.has(source)) return learnSource(supabase, source);
      const { type, notify, read } = source;
      const rows = rowsOf(await read(supabase, memory.since(type, lateMs) ?? "-infinity"));
      for (const row of rows.toReversed()) tell(notify(row));
    };
    const seeStock = async () => {
      if (!stockLearned) return learnStock(supabase);
      for (const level of await readStock(supabase)) tell(stock.see(level, level.updated_at));
    };
    await settleAll([...sources.map(readSource), seeStock()]);
  }

  const failed = (error: unknown) => logError("read what the notifications missed", error);
  const learned = learn().catch(failed);
  let lateMs = 0;
  return followChanges(
    "back-office",
    [
      ...sources.map(({ table, notify }) => ({
        table,
        event: "INSERT" as const,
        tell: ({ row }: Change) => tell(notify(row)),
      })),
      {
        table: "ticket_types",
        event: "UPDATE",
        tell: ({ row, at }) => tell(stock.see(row as unknown as StockLevel, at)),
      },
      {
        table: "parking_passes",
        event: "UPDATE",
        tell: ({ row, at }) =>
          tell(stock.see({ ...(row as unknown as StockLevel), name: String(row.type_name) }, at)),
      },
    ],
    () => {
      catchUp(lateMs).catch(failed);
      lateMs = LATE_MS;
    },
  );
}

/** One that fails does not stop the others. Rejects with the first failure once all are done. */
async function settleAll(tasks: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(tasks);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}
