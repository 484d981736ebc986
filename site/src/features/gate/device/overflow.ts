// Scans that do not fit into IndexedDB: kept in local storage, and in memory when that is full too.
import { readJson, writeJson } from "#lib/browser/stored-json.ts";
import type { QueuedScan } from "../rules/waiting-scans.ts";

const KEY = "houston-culture-festival:gate-queue";

export interface Overflow {
  entries: () => readonly QueuedScan[];
  add: (entry: QueuedScan) => void;
  remove: (ids: ReadonlySet<string>) => void;
}

export function createOverflow(): Overflow {
  let entries = readEntries();
  function keep(next: (entries: readonly QueuedScan[]) => readonly QueuedScan[]) {
    // Another tab of this device may have changed what is stored, and what did not fit may fit now.
    const others = readEntries().filter(({ scan }) => !entries.some((own) => own.scan.id === scan.id));
    const stored = next([...others, ...entries]);
    entries = next(entries);
    writeJson("local", KEY, stored.length > 0 ? stored : undefined);
  }
  return {
    entries: () => entries,
    add: (entry) => keep((entries) => [...entries, entry]),
    remove(ids) {
      if (entries.some(({ scan }) => ids.has(scan.id)))
        keep((entries) => entries.filter(({ scan }) => !ids.has(scan.id)));
    },
  };
}

function readEntries(): readonly QueuedScan[] {
  try {
    const found = readJson("local", KEY);
    return Array.isArray(found) ? (found as QueuedScan[]) : [];
  } catch {
    return [];
  }
}
