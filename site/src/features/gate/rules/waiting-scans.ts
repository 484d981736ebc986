// Which waiting scans are sent together, and how to handle the responses.
import type { GateScan, GateScanAnswer, UnknownDetail } from "contract/gate";

export interface QueuedScan {
  /** The order in which the device scanned. Independent of the clock. */
  readonly seq: number;
  readonly scan: GateScan;
  /** For an undone exit: when they had come in. The server knows it. */
  readonly since?: number;
}

/** Something to review: a second admission of a code, one the server would have refused, or a scan it could not record. */
export interface Notice {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly at: number;
  readonly here: string;
  readonly answer: Pick<GateScanAnswer, "first" | "despite" | "conflict" | "at" | "detail">;
  /** Someone has reviewed it. */
  readonly seen?: boolean;
}

export const NOT_RECORDED: UnknownDetail = "not_recorded";

/** Small enough to show progress and to suit a very poor network. Grows while calls succeed. */
export const FIRST_PAGE_SIZE = 100;
const SMALLEST_PAGE = 10;
const LARGEST_PAGE = 500;

export const pageSizeAfter = (size: number, wentWell: boolean): number =>
  wentWell ? Math.min(LARGEST_PAGE, size * 2) : Math.max(SMALLEST_PAGE, Math.floor(size / 4));

/** The next scans to send, oldest first, without those left behind and later ones of the same code. */
export function nextPage(
  queue: readonly QueuedScan[],
  leftBehind: ReadonlySet<string>,
  size: number,
): QueuedScan[] {
  if (leftBehind.size === 0) return queue.slice(0, size);
  const codes = new Set<string>();
  const page: QueuedScan[] = [];
  for (const entry of queue) {
    const { id, code_id } = entry.scan;
    if (leftBehind.has(id) && code_id) codes.add(code_id);
    if (leftBehind.has(id) || (code_id && codes.has(code_id))) continue;
    page.push(entry);
    if (page.length === size) break;
  }
  return page;
}

/** Undefined when there is nothing to review. */
export function noticeOf(
  { scan }: QueuedScan,
  { first, despite, conflict, at, detail }: GateScanAnswer,
  { name, here }: { name: string; here: string },
): Notice | undefined {
  if (!conflict && !despite && detail !== NOT_RECORDED) return undefined;
  return {
    id: scan.id,
    code: (scan.code_id ?? "").slice(0, 8),
    name,
    at: scan.at,
    here,
    answer: { first, despite, conflict, at, detail },
  };
}

/** For a conflict: where its code was let in, in order of time, not in the order of sending. */
export function admissionsOf({ at, here, answer }: Notice): readonly { at: number; where: string }[] {
  const { first } = answer;
  const own = { at: answer.at ?? at, where: here };
  if (!first) return [own];
  const where = [first.entrance, first.device].filter(Boolean).join(", ") || "another gate";
  return [{ at: first.at, where }, own].sort((one, other) => one.at - other.at);
}
