// A list's view, kept in the URL: filters, search and page. Opening a row and coming back, reloading, or sending the URL to a
// colleague shows the same rows. Typing replaces the history entry; a filter or a page adds one.
import { useContext, useEffect, useState } from "react";
import {
  UNSAFE_DataRouterContext as DataRouterContext,
  useLocation,
  useNavigate,
  useNavigation,
  useSearchParams,
} from "react-router";
import { z } from "zod";
import {
  pageStartText,
  parsePageStart,
  type ListPage,
  type PagePosition,
  type PageStart,
} from "./list-pages.ts";

const PAUSE_MS = 300;
/** The largest page number read from the URL, so that it stays within PostgreSQL's integers. */
const FARTHEST_PAGE = 1_000_000;

/** Kept in the history entry: the starts of earlier pages, and the first page's count. */
const turnedPages = z.object({
  starts: z.array(z.object({ at: z.string(), id: z.string() })),
  total: z.number(),
  exact: z.boolean(),
});
const listState = z.object({ turned: turnedPages });

export type ListView = ReturnType<typeof useListView>;

export function useListView(size: number) {
  const [params] = useSearchParams();
  const state: unknown = useLocation().state;
  const go = useGo();
  const start = parsePageStart(params.get("after"));
  const turned = listState.safeParse(state).data?.turned;
  const number = Math.min(Math.trunc(Number(params.get("page"))) || 1, FARTHEST_PAGE);
  const page = Math.max(number, start ? 2 : 1);
  const place: PagePosition = start ? { after: start } : { offset: (page - 1) * size };
  // The first page's URL has no number.
  const misnamed = page === 1 && params.has("page");
  useEffect(() => {
    if (misnamed) go(firstPage, { replace: true });
  });

  /** The pager for the displayed rows. `settled` is false while they are still the previous page's. */
  function pagerOf<Row>(shown: ListPage<Row>, settled: boolean, startAfter: (last: Row) => PageStart) {
    // The first page's count, so that "Page X of Y" keeps its end as rows arrive.
    const { total, exact } = (page > 1 && turned) || shown;
    const last = shown.rows.at(-1);
    const hasNext =
      settled && last !== undefined && shown.rows.length === size && (!exact || page * size < total);
    const turnTo = (number: number, starts: readonly PageStart[]) => {
      const next = starts.at(-1);
      go(
        { page: number > 1 ? String(number) : undefined, after: next && pageStartText(next) },
        { state: { turned: { starts, total, exact } } },
      );
    };
    const before = turned?.starts ?? [];
    return {
      page,
      pages: Math.max(page, Math.ceil(total / size)),
      more: !exact,
      // When the start of the previous page is unknown, its number is used.
      onPrevious: () => turnTo(page - 1, before.slice(0, -1)),
      onNext: hasNext
        ? () => turnTo(page + 1, [...(page > 1 && !turned && start ? [start] : before), startAfter(last)])
        : undefined,
    };
  }

  return {
    place,
    /** The URL's number names a page beyond the last one. */
    isBeyond: (shown: ListPage<unknown>) => !start && page > 1 && shown.rows.length === 0,
    leadToLastPage: ({ total }: ListPage<unknown>) =>
      go({ page: String(Math.min(Math.ceil(total / size), page - 1)) }, { replace: true }),
    pagerOf,
    search: useSearch(params.get("q") ?? "", go),
    filter: (name: string) => params.get(name) ?? "",
    /** Starts again at the first page. An empty value removes the filter. */
    setFilter: (name: string, value: string) => go({ ...firstPage, [name]: value }),
    /** For links to a row, so that its page can lead back here. */
    wayBack: { list: { search: params.size > 0 ? `?${params}` : "", state } },
  };
}

const wayBack = z.object({ list: z.object({ search: z.string(), state: z.unknown() }) });

/** On the page of a row: the link back to the list as the user left it. */
export function useWayBack(path: string): { to: string; state: unknown } {
  const from = wayBack.safeParse(useLocation().state).data?.list;
  return { to: `${path}${from?.search ?? ""}`, state: from?.state };
}

const firstPage = { page: undefined, after: undefined };

type Go = (
  changes: Readonly<Record<string, string | undefined>>,
  options?: { state?: unknown; replace?: boolean },
) => void;

/**
 * The URL's current parameters, for changing some of them. The rendered ones may be older, so a second quick change would undo
 * the first.
 */
export const presentParams = () => new URLSearchParams(location.search);

/** For parameters that only say what is shown: no step in the history, and the page does not move. */
export const inPlace = { replace: true, preventScrollReset: true } as const;

/** Changes some of the URL's parameters. */
function useGo(): Go {
  const navigate = useNavigate();
  return (changes, options) => {
    const next = presentParams();
    for (const [name, value] of Object.entries(changes)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    void navigate({ search: next.toString() }, { preventScrollReset: true, ...options });
  };
}

/** The typed search, and the one it settled on after a pause. Only the settled one is searched for and kept in the URL. */
function useSearch(settled: string, go: Go) {
  const [typed, type] = useState(settled);
  const [asked, ask] = useState(settled);
  const [known, know] = useState(settled);
  const router = useContext(DataRouterContext)?.router;
  const isLeaving = useNavigation().state !== "idle";
  if (settled !== known) {
    know(settled);
    if (settled !== asked) {
      // The URL changed through Back or a link, not by typing here.
      ask(settled);
      type(settled);
    }
  }
  useEffect(() => {
    const wanted = typed.trim();
    // While a row's page loads, changing the URL would cancel that navigation.
    if (wanted === asked || isLeaving) return;
    const timer = setTimeout(() => {
      // A press that React has not rendered yet has already started a navigation. The next render comes back here.
      if (router && router.state.navigation.state !== "idle") return;
      ask(wanted);
      go({ ...firstPage, q: wanted }, { replace: true });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  });
  return { typed, type, settled };
}
