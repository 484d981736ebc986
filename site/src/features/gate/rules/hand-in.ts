// Which waiting scans are handed in together, and what the answers mean.
import type { GateScan, GateScanAnswer, UnknownDetail } from "contract/gate";

export interface QueuedScan {
  /** The order in which the device scanned; the clock plays no part. */
  readonly seq: number;
  readonly scan: GateScan;
}

/** Something to look at: a second admission of a code, one the server would have refused, or a scan it could not record. */
export interface Notice {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly at: number;
  readonly here: string;
  readonly answer: Pick<GateScanAnswer, "first" | "despite" | "conflict" | "at" | "detail">;
  /** Somebody has looked at it. */
  readonly seen?: boolean;
}

export const NOT_RECORDED: UnknownDetail = "not_recorded";

/** Small enough to show progress and for a network that hardly carries anything; grows while it does. */
export const FIRST_PAGE_SIZE = 100;
const SMALLEST_PAGE = 10;
const LARGEST_PAGE = 500;

export const pageSizeAfter = (size: number, wentWell: boolean): number =>
  wentWell ? Math.min(LARGEST_PAGE, size * 2) : Math.max(SMALLEST_PAGE, Math.floor(size / 4));

/** The next scans to hand in, oldest first, without those left behind and what came after them for the same code. */
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

/**
 * Scans that the server could not write down. One that is left out while another of its code was answered only waits for its
 * turn: a call takes 40 scans of one code.
 */
export function leftOut(sent: readonly QueuedScan[], answered: ReadonlySet<string>): string[] {
  const served = new Set(sent.flatMap(({ scan }) => (answered.has(scan.id) ? (scan.code_id ?? []) : [])));
  return sent
    .filter(({ scan }) => !answered.has(scan.id) && !(scan.code_id && served.has(scan.code_id)))
    .map(({ scan }) => scan.id);
}

/** Undefined when there is nothing to look at. */
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

/** Of a conflict: where its code was let in, by when that was and not by which was handed in first. */
export function admissionsOf({ at, here, answer }: Notice): readonly { at: number; where: string }[] {
  const { first } = answer;
  const own = { at: answer.at ?? at, where: here };
  if (!first) return [own];
  const where = [first.entrance, first.device].filter(Boolean).join(", ") || "another gate";
  return [{ at: first.at, where }, own].sort((one, other) => one.at - other.at);
}
