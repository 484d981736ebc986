// The scans that the server does not have yet, in chronological order.
import type { GateScan } from "contract/gate";
import type { QueuedScan } from "../rules/waiting-scans.ts";

export interface ScanQueue {
  entries: () => readonly QueuedScan[];
  size: () => number;
  /** `lastSeq`: numbering continues after it. */
  load: (entries: readonly QueuedScan[], lastSeq: number) => void;
  /** `since`: for an undone exit, when they had come in. */
  add: (scan: GateScan, since?: number) => QueuedScan;
  remove: (ids: ReadonlySet<string>) => void;
  hasCode: (codeId: string | null) => boolean;
  /** Codes that were let in or out. */
  codes: () => ReadonlySet<string>;
}

export function createScanQueue(): ScanQueue {
  let queue: readonly QueuedScan[] = [];
  let lastSeq = 0;
  return {
    entries: () => queue,
    size: () => queue.length,
    load(entries, last) {
      queue = entries;
      lastSeq = last;
    },
    add(scan, since) {
      const entry = { seq: ++lastSeq, scan, ...(since === undefined ? {} : { since }) };
      queue = [...queue, entry];
      return entry;
    },
    remove(ids) {
      queue = queue.filter(({ scan }) => !ids.has(scan.id));
    },
    hasCode: (codeId) => queue.some(({ scan }) => scan.code_id === codeId),
    codes: () =>
      new Set(
        queue.flatMap(({ scan }) => (scan.code_id !== null && scan.action !== "refused" ? scan.code_id : [])),
      ),
  };
}
