// Turning the pages of a list that grows at its head. A page starts after the last row of the one before it, so nothing
// repeats and nothing is skipped; how many pages there are is known from the first, so "Page X of Y" ends where it says.
import { z } from "zod";

/** Time and id of the last row before a page. */
export interface PageStart {
  at: string;
  id: string;
}

export interface ListPage<Row> {
  rows: readonly Row[];
  total: number;
  /** False when there are more than were counted. */
  exact: boolean;
}

/** The answer of a list function (supabase/migrations, list_answer); of a wrong shape it is an empty list. */
export function parseListPage<Row>(row: z.ZodType<Row>, answer: unknown): ListPage<Row> {
  const parsed = z
    .object({ rows: z.array(row), total_count: z.number(), total_is_exact: z.boolean() })
    .safeParse(answer);
  if (!parsed.success) return { rows: [], total: 0, exact: true };
  const { rows, total_count: total, total_is_exact: exact } = parsed.data;
  return { rows, total, exact };
}

/** What the list functions are told of where a page starts. */
export function startArgs(start: PageStart | undefined) {
  return start ? { p_after_at: start.at, p_after_id: start.id } : {};
}

/** A page's start as it stands in an address. */
export function pageStartText({ at, id }: PageStart): string {
  return `${at}_${id}`;
}

const startText = /^([\d:.TZ+-]{10,40})_([\da-f-]{36})$/;

/** Undefined for what no list wrote: the first page. */
export function parsePageStart(text: string | null): PageStart | undefined {
  const [, at, id] = startText.exec(text ?? "") ?? [];
  return at && id ? { at, id } : undefined;
}

/** A whole list page by page, newest first. What arrives meanwhile is not in it; the last page costs no more than the first. */
export async function* wholeList<Row>(
  size: number,
  fetchPage: (start: PageStart | undefined) => Promise<readonly Row[]>,
  startAfter: (last: Row) => PageStart,
): AsyncGenerator<readonly Row[]> {
  let start: PageStart | undefined;
  for (;;) {
    const rows = await fetchPage(start);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < size) return;
    start = startAfter(last);
  }
}
