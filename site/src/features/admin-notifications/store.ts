// One administrator's notifications in local storage: they survive a reload, and all tabs show the same.
import { readJson, writeJson } from "#lib/browser/stored-json.ts";
import { isNotification, type Notification } from "./model.ts";

export interface NotificationStore {
  get(): readonly Notification[];
  change(next: (list: readonly Notification[]) => readonly Notification[]): void;
  subscribe(watcher: () => void): () => void;
}

const empty: readonly Notification[] = [];

export function createNotificationStore(userId: string): NotificationStore {
  const key = `houston-culture-festival:notifications:${userId}`;
  const watchers = new Set<() => void>();
  let list = stored(key);
  const notify = () => watchers.forEach((watcher) => watcher());
  const followOtherTabs = () => {
    const found = stored(key, list);
    if (JSON.stringify(found) === JSON.stringify(list)) return;
    list = found;
    notify();
  };
  return {
    get: () => list,
    change(next) {
      const changed = next(stored(key, list)); // another tab may have written a moment ago
      if (changed === list) return;
      list = changed;
      writeJson("local", key, list.length > 0 ? list : undefined);
      notify();
    },
    subscribe(watcher) {
      if (watchers.size === 0) {
        // A page receives no storage events before it listens, nor while it is in the back/forward cache.
        addEventListener("storage", followOtherTabs);
        addEventListener("pageshow", followOtherTabs);
        followOtherTabs();
      }
      watchers.add(watcher);
      return () => {
        watchers.delete(watcher);
        if (watchers.size > 0) return;
        removeEventListener("storage", followOtherTabs);
        removeEventListener("pageshow", followOtherTabs);
      };
    },
  };
}

function stored(key: string, otherwise = empty): readonly Notification[] {
  try {
    const found = readJson("local", key);
    return Array.isArray(found) ? found.filter(isNotification) : otherwise;
  } catch {
    return otherwise;
  }
}
