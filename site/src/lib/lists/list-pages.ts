// Pages of a list that grows at its head. A page starts after the last row of the previous one, so rows that arrive in the
// meantime are neither repeated nor hide others. The first response counts the pages, so "Page X of Y" keeps its end.
import { z } from "zod";
import { parseAnswer } from "./back-office-reads.ts";

/** Time and id of the last row before a page. */
export interface PageStart {
  at: string;
  id: string;
}

/** Where a page starts: after a row, or after a number of rows when the URL has only a page number. */
export type PagePosition = { after: PageStart } | { offset: number };

export interface ListPage<Row> {
  rows: readonly Row[];
  total: number;
  /** False when there are more rows than were counted. */
  exact: boolean;
}

/** The response of a list function (supabase/migrations, list_answer). @throws Error when it has another shape */
export function parseListPage<Row>(what: string, row: z.ZodType<Row>, answer: unknown): ListPage<Row> {
  const page = z.object({ rows: z.array(row), total_count: z.number(), total_is_exact: z.boolean() });
  const { rows, total_count: total, total_is_exact: exact } = parseAnswer(what, page, answer);
  return { rows, total, exact };
}

/** The list functions' parameters for where a page starts. */
export function positionArgs(place: PagePosition) {
  return "after" in place
    ? { p_after_at: place.after.at, p_after_id: place.after.id }
    : { page_offset: place.offset };
}

/** A page's start in URL form. */
export function pageStartText({ at, id }: PageStart): string {
  return `${at}_${id}`;
}

const startText = /^([\d:.TZ+-]{10,40})_([\da-f-]{36})$/;

/** Undefined for a text that no list has written. */
export function parsePageStart(text: string | null): PageStart | undefined {
  const [, at, id] = startText.exec(text ?? "") ?? [];
  return at && id ? { at, id } : undefined;
}

/**
 * A whole list page by page, newest first, without rows that arrive in the meantime. The last page costs no more than the
 * first.
 */
export async function* wholeList<Row>(
  size: number,
  fetchRows: (place: PagePosition) => Promise<readonly Row[]>,
  startAfter: (last: Row) => PageStart,
): AsyncGenerator<readonly Row[]> {
  let place: PagePosition = { offset: 0 };
  for (;;) {
    const rows = await fetchRows(place);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < size) return;
    place = { after: startAfter(last) };
  }
}
