// Which rows are requested: `limit`, `offset` and the Range header, and what Content-Range reports in the
// response.
import { badRange } from "../errors.ts";

export interface Range {
  readonly offset: number;
  /** Undefined means all. */
  readonly limit: number | undefined;
}

export const ALL_ROWS: Range = { offset: 0, limit: undefined };

/** An unreadable number is ignored. A negative offset counts as none. */
export function parseRange(limit: string | undefined, offset: string | undefined): Range {
  const rows = parseInteger(limit);
  if (rows !== undefined && rows < 0) throw badRange("Limit should be greater than or equal to zero.");
  return { limit: rows, offset: Math.max(parseInteger(offset) ?? 0, 0) };
}

const parseInteger = (text: string | undefined): number | undefined =>
  text !== undefined && /^\s*-?\d+\s*$/.test(text) ? Number(text) : undefined;

/** `Range: 0-9` narrows what limit and offset allow; a limit of zero is kept. */
export function narrowByHeader(range: Range, header: string | null): Range {
  const [, first, last] = /^([0-9]+)-([0-9]*)$/.exec(header ?? "") ?? [];
  if (first === undefined || range.limit === 0) return range;
  const from = Number(first);
  const to = last ? Number(last) : Infinity;
  if (to < from) {
    throw badRange(
      "The lower boundary must be lower than or equal to the upper boundary in the Range header.",
    );
  }
  const end = Math.min(to, range.limit === undefined ? Infinity : range.offset + range.limit - 1);
  const offset = Math.max(from, range.offset);
  if (end < offset) throw badRange("Limit should be greater than or equal to zero.");
  return { offset, limit: end === Infinity ? undefined : end - offset + 1 };
}

export function capRows(range: Range, maxRows: number | undefined): Range {
  if (maxRows === undefined) return range;
  return { offset: range.offset, limit: Math.min(range.limit ?? maxRows, maxRows) };
}

/** `0-24/3573458`, `*` where unknown or empty. Bounds are inclusive. */
export function contentRange(first: number, last: number, total: number | undefined): string {
  const rows = total !== 0 && first <= last ? `${first}-${last}` : "*";
  return `${rows}/${total ?? "*"}`;
}

/** 206 for a partial answer, 416 for an offset beyond the last row. */
export function rangeStatus(offset: number, rows: number, total: number | undefined): number {
  if (total === undefined) return 200;
  if (offset > total) return 416;
  return rows < total ? 206 : 200;
}
