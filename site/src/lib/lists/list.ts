// One back office list: the page that the URL names, and all of its rows for a file.
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { FailureReport } from "./back-office-reads.ts";
import { CSV_PAGE } from "./csv.ts";
import { wholeList, type ListPage, type PagePosition, type PageStart } from "./list-pages.ts";
import type { ListView } from "./list-view.ts";

/** The source of a list's pages. */
export interface ListSource<Row, Filter, Page extends ListPage<Row> = ListPage<Row>> {
  /** First part of the query's key: changes to these rows refetch queries with this name. */
  key: string;
  /** Rows per page on screen. */
  size: number;
  /** Rows read per page, if more than are shown. */
  readSize?: number;
  read: (filter: Filter, size: number, place: PagePosition) => Promise<Page>;
  startAfter: (last: Row) => PageStart;
  /** Milliseconds until the page refetches itself; false while nothing on it changes. */
  refreshEveryMs?: (page: Page) => number | false;
  /** How a failure is logged for the other administrators, if at all. */
  report?: (filter: Filter) => FailureReport;
}

/** The page to show with its pager; undefined while it loads and when it could not be read. */
export function useList<Row, Filter, Page extends ListPage<Row>>(
  source: ListSource<Row, Filter, Page>,
  filter: Filter,
  view: ListView,
) {
  const { key, size, readSize = size, startAfter } = source;
  const { place } = view;
  const { data, isError, error, isPlaceholderData, refetch } = useQuery({
    queryKey: [key, filter, place],
    queryFn: () => source.read(filter, readSize, place),
    // The previous page stays until this one arrives, unless it is empty: that would claim that nothing
    // matches.
    placeholderData: (before) => (before?.rows.length === 0 ? undefined : before),
    refetchInterval: ({ state }) => (state.data && source.refreshEveryMs?.(state.data)) ?? false,
    ...(source.report && { meta: source.report(filter) }),
  });
  const isBeyond = data !== undefined && view.isBeyond(data);
  useEffect(() => {
    if (isBeyond) view.leadToLastPage(data);
  });
  const page = data && !isBeyond ? { ...data, rows: data.rows.slice(0, size) } : undefined;
  return {
    page,
    pager: page && view.pagerOf(page, !isPlaceholderData, startAfter),
    /** The rows belong to the previous filter or page until the new ones arrive. */
    isOld: isPlaceholderData,
    /** How many rows the current filter finds, once they are read; page by page the same. */
    found:
      page && !isPlaceholderData
        ? { filter: JSON.stringify(filter), total: page.total, exact: page.exact }
        : undefined,
    isError,
    error,
    refetch,
  };
}

/** Every row that matches the filter, page by page. */
export function allRows<Row, Filter>(
  { read, startAfter }: Pick<ListSource<Row, Filter>, "read" | "startAfter">,
  filter: Filter,
): AsyncGenerator<readonly Row[]> {
  const rows = async (place: PagePosition) => (await read(filter, CSV_PAGE, place)).rows;
  return wholeList(CSV_PAGE, rows, startAfter);
}
