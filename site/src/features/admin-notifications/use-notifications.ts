// Turns changes in the database into notifications while a user is signed in to the back office. After an interruption, it reads
// what it missed.
import { useEffect, useState, useSyncExternalStore } from "react";
import { followChanges, type Followed } from "#lib/api/changes.ts";
import { logError } from "#lib/browser/error-log.ts";
import { getSupabase, type Supabase } from "#lib/api/supabase.ts";
import { toast } from "#ui/overlays/toast.ts";
import { added, createMemory, createStockWatch, KEPT, type Notification } from "./model.ts";
import { levelOf, readStock, sources, stockColumns, type Source } from "./queries.ts";
import { createNotificationStore, type NotificationStore } from "./store.ts";

/** A transaction may become visible up to this long after the time in its rows. */
const LATE_MS = 60_000;
const EVER = "-infinity";

const none: readonly Notification[] = [];

/** Without `readsAll` only new orders are announced. */
export function useNotifications(userId: string, readsAll: boolean) {
  const [store] = useState(() => createNotificationStore(userId));
  const list = useSyncExternalStore(store.subscribe, store.get, () => none);
  useEffect(() => listen(store, readsAll), [store, readsAll]);
  return { list, change: store.change };
}

/** One subject that is watched for news. */
interface Watch {
  /** Marks everything that exists as known, so none of it is news. */
  learn: (supabase: Supabase) => Promise<void>;
  /** Announces what happened while no changes arrived. Learns first if that has not succeeded yet. */
  catchUp: (supabase: Supabase, lateMs: number) => Promise<void>;
  followed: readonly Followed[];
}

/** Returns a function that stops listening. */
function listen(store: NotificationStore, readsAll: boolean): () => void {
  const memory = createMemory();
  function announce(notification: Notification | undefined) {
    if (!notification || !memory.isNews(notification)) return;
    store.change((list) => added(list, notification));
    if (notification.type === "system_alert") toast.error(notification.title, notification.message);
  }
  const watches = sources
    .filter(({ table }) => readsAll || table === "orders")
    .map((source) => watchSource(source, memory, announce));
  if (readsAll) watches.push(watchStock(announce));
  const all = async (task: (watch: Watch, supabase: Supabase) => Promise<void>) => {
    const supabase = await getSupabase();
    await settleAll(watches.map((watch) => task(watch, supabase)));
  };
  const failed = (error: unknown) => logError("read what the notifications missed", error);

  const learned = all(({ learn }, supabase) => learn(supabase)).catch(failed);
  let lateMs = 0; // nothing can be late before the first interruption
  const onFlowing = async () => {
    const late = lateMs;
    lateMs = LATE_MS;
    await learned;
    await all(({ catchUp }, supabase) => catchUp(supabase, late));
  };
  return followChanges(
    "back-office",
    watches.flatMap(({ followed }) => followed),
    () => void onFlowing().catch(failed),
  );
}

type Announce = (notification: Notification | undefined) => void;

/** New rows of a table. */
function watchSource(
  { table, type, columns, notify, read }: Source,
  memory: ReturnType<typeof createMemory>,
  announce: Announce,
): Watch {
  let isLearned = false;
  async function learn(supabase: Supabase) {
    for (const known of await read(supabase, EVER, 1)) memory.learn(known);
    // A later catch-up reads again from this far back.
    const since = memory.since(type, LATE_MS);
    if (since) for (const known of await read(supabase, since, KEPT)) memory.learn(known);
    isLearned = true;
  }
  return {
    learn,
    async catchUp(supabase, lateMs) {
      if (!isLearned) return learn(supabase);
      const found = await read(supabase, memory.since(type, lateMs) ?? EVER, KEPT);
      for (const notification of found.toReversed()) {
        if (!memory.isKnown(notification)) announce(notification); // oldest first
      }
    },
    followed: [{ table, event: "INSERT", columns, notify: ({ row }) => announce(notify(row)) }],
  };
}

/** Stock that runs low. */
function watchStock(announce: Announce): Watch {
  const stock = createStockWatch();
  let isLearned = false;
  async function learn(supabase: Supabase) {
    for (const level of await readStock(supabase)) stock.learn(level, level.updated_at);
    isLearned = true;
  }
  return {
    learn,
    async catchUp(supabase) {
      if (!isLearned) return learn(supabase);
      for (const level of await readStock(supabase)) announce(stock.see(level, level.updated_at));
    },
    followed: [
      {
        table: "products",
        event: "UPDATE",
        columns: stockColumns,
        notify: ({ row, at }) => announce(stock.see(levelOf(row), at)),
      },
    ],
  };
}

/** Runs all of them even when one fails. Rejects with the first failure once all have ended. */
async function settleAll(tasks: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(tasks);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}
