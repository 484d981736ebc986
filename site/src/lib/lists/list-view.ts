// Where a list stands, kept in the address: filters, search and page. Opening a row and coming back, reloading, or sending
// the address to a colleague shows the same rows. Typing replaces the history entry; a filter or a page adds one.
import { useEffect, useState } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import { z } from "zod";
import { parsePageStart, pageStartText, type ListPage, type PageStart } from "./list-pages.ts";

const PAUSE_MS = 300;

/** Beside the address, in its history entry: where the pages before this one begin, and what the first said of the whole. */
const turnedPages = z.object({
  starts: z.array(z.object({ at: z.string(), id: z.string() })),
  total: z.number(),
  exact: z.boolean(),
});
const listState = z.object({ turned: turnedPages });

export function useListView(size: number) {
  const [params] = useSearchParams();
  const state: unknown = useLocation().state;
  const go = useGo();
  const start = parsePageStart(params.get("after"));
  const turned = listState.safeParse(state).data?.turned;
  // A number alone names no page: the first one is shown, and the address says so.
  const misnamed = !start && params.has("page");
  useEffect(() => {
    if (misnamed) go(firstPage, { replace: true });
  });
  const page = start ? Math.max(2, Math.trunc(Number(params.get("page"))) || 2) : 1;

  /** What the pager shows and does beside `shown`. `settled` is false while that is still the page before. */
  function pagerOf<Row>(shown: ListPage<Row>, settled: boolean, startAfter: (last: Row) => PageStart) {
    // The first page's count: as rows arrive, "Page X of Y" still ends where it said.
    const { total, exact } = (page > 1 && turned) || shown;
    const last = shown.rows.at(-1);
    const hasNext =
      settled && last !== undefined && shown.rows.length === size && (!exact || page * size < total);
    const turnTo = (number: number, starts: readonly PageStart[]) => {
      const next = starts.at(-1);
      go(
        { page: next && String(number), after: next && pageStartText(next) },
        { state: { turned: { starts, total, exact } } },
      );
    };
    const before = turned?.starts ?? [];
    return {
      page,
      pages: Math.max(page, Math.ceil(total / size)),
      more: !exact,
      // An address without its history knows the first page only.
      onPrevious: () => turnTo(page - 1, before.slice(0, -1)),
      onNext: hasNext
        ? () => turnTo(page + 1, [...(page > 1 && !turned && start ? [start] : before), startAfter(last)])
        : undefined,
    };
  }

  return {
    start,
    pagerOf,
    search: useSearch(params.get("q") ?? "", go),
    filter: (name: string) => params.get(name) ?? "",
    /** Begins again with the first page. An empty value takes the filter away. */
    setFilter: (name: string, value: string) => go({ ...firstPage, [name]: value }),
    /** For links to a row: how its page leads back here. */
    wayBack: { list: { search: params.size > 0 ? `?${params}` : "", state } },
  };
}

const wayBack = z.object({ list: z.object({ search: z.string(), state: z.unknown() }) });

/** On the page of a row: what leads back to the list as it was left. */
export function useWayBack(path: string): { to: string; state: unknown } {
  const from = wayBack.safeParse(useLocation().state).data?.list;
  return { to: `${path}${from?.search ?? ""}`, state: from?.state };
}

const firstPage = { page: undefined, after: undefined };

type Go = (
  changes: Readonly<Record<string, string | undefined>>,
  options?: { state?: unknown; replace?: boolean },
) => void;

/** Changes some of the address's parameters. */
function useGo(): Go {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  return (changes, options) => {
    const next = new URLSearchParams(params);
    for (const [name, value] of Object.entries(changes)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    void navigate({ search: next.toString() }, { preventScrollReset: true, ...options });
  };
}

/** What is typed into a search, and what it settled on after a pause: only that is asked for, and stands in the address. */
function useSearch(settled: string, go: Go) {
  const [typed, type] = useState(settled);
  const [asked, ask] = useState(settled);
  const [known, know] = useState(settled);
  if (settled !== known) {
    know(settled);
    if (settled !== asked) {
      // Back, or a link: not what was typed here.
      ask(settled);
      type(settled);
    }
  }
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === asked) return;
    const timer = setTimeout(() => {
      ask(wanted);
      go({ ...firstPage, q: wanted }, { replace: true });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  });
  return { typed, type, settled };
}
