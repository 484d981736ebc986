// A whole table, newest first, page by page. Each page starts after the last row of the one before it, so rows that
// arrive meanwhile neither repeat nor skip any, and the last page costs no more than the first.

export const ROW_PAGE = 500;

export interface PageStart {
  /** An `or` filter of the rows after the last one read; undefined for the first page. */
  after: string | undefined;
}

/** `column` is the time that rows are ordered by, descending, with ascending id where times are equal. */
export async function* rowPages<Row extends { id: string }>(
  column: keyof Row & string,
  fetchPage: (start: PageStart) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let after: string | undefined;
  for (;;) {
    const rows = await fetchPage({ after });
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < ROW_PAGE) return;
    const time = `"${String(last[column])}"`;
    after = `${column}.lt.${time},and(${column}.eq.${time},id.gt.${last.id})`;
  }
}
