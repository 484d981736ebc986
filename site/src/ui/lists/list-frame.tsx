// The frame of a back office list: title and export, search and filters, then the rows with their pager, or a loading or
// error message.
import { useEffect, useRef, type ComponentProps, type ReactNode } from "react";
import { count } from "#lib/format.ts";
import { Badge } from "../basics/badge.tsx";
import { ExportButton } from "./export-button.tsx";
import { Pager, type PagerProps } from "./pager.tsx";
import { announce } from "../overlays/announce.ts";
import { useKeptFocus } from "../overlays/focus-kept.ts";
import { ScreenHead } from "../page/screen-head.tsx";
import { ErrorState } from "../page/screen-states.tsx";
import { SearchField } from "./search-field.tsx";
import { Skeleton } from "../page/skeleton.tsx";

interface ListFrameProps<Page> {
  title: string;
  /** The noun for the rows: "Loading users". */
  rowsAre: string;
  list: {
    /** Undefined while it loads and when it could not be read. */
    page: Page | undefined;
    pager: Omit<PagerProps, "label"> | undefined;
    /** The rows belong to the previous page. */
    isOld: boolean;
    /** What the current search and filters find; undefined until it is read. */
    found: { filter: string; total: number; exact: boolean } | undefined;
    isError: boolean;
    /** Why it could not be read. */
    error: Error | null;
    refetch: () => unknown;
  };
  csv: ComponentProps<typeof ExportButton>;
  search: { label: string; placeholder: string; typed: string; type: (text: string) => void };
  filters?: ReactNode;
  /** How many rows there are, to the right of the title. */
  tally?: (page: Page) => string;
  /** To the right of the export button. */
  actions?: ReactNode;
  /** Above search and filters. */
  figures?: ReactNode;
  children: (page: Page) => ReactNode;
}

const LOADING_ROWS = 10;

export function ListFrame<Page>({
  title,
  rowsAre,
  list: { page, pager, isOld, found, isError, error, refetch },
  csv,
  search,
  filters,
  tally,
  actions,
  figures,
  children,
}: ListFrameProps<Page>) {
  const kept = useKeptFocus();
  useSaidResults(found);
  return (
    <div {...kept}>
      <ScreenHead
        title={title}
        badge={tally && <Tally {...{ tally, page, isError }} />}
        actions={
          <>
            <ExportButton {...csv} />
            {actions}
          </>
        }
      />
      {figures}
      <div className={`${figures ? "mt-4" : ""} mb-4 flex flex-wrap items-center gap-3`}>
        <SearchField
          aria-label={search.label}
          placeholder={search.placeholder}
          value={search.typed}
          onChange={(event) => search.type(event.target.value)}
        />
        {filters}
      </div>
      {page !== undefined ? (
        <div aria-busy={isOld} className={isOld ? "opacity-60 transition-opacity delay-300" : ""}>
          {children(page)}
          {pager && <Pager label={`Pages of ${rowsAre}`} {...pager} />}
        </div>
      ) : isError ? (
        <ErrorState
          title={`Error loading ${rowsAre}. Please check your connection and try again.`}
          cause={error}
          onRetry={() => void refetch()}
        />
      ) : (
        <div role="status" className="space-y-2">
          <span className="sr-only">Loading {rowsAre}</span>
          {Array.from({ length: LOADING_ROWS }, (_, index) => (
            <Skeleton key={index} className="h-18" />
          ))}
        </div>
      )}
    </div>
  );
}

/** Announces how many rows another search or filter has found. Not those of the first one, which come with the screen. */
function useSaidResults(found: ListFrameProps<unknown>["list"]["found"]) {
  const said = useRef<string>(undefined);
  useEffect(() => {
    if (!found || said.current === found.filter) return;
    if (said.current !== undefined) {
      announce(found.exact ? count(found.total, "result") : `More than ${count(found.total, "result")}`);
    }
    said.current = found.filter;
  });
}

interface TallyProps<Page> {
  tally: (page: Page) => string;
  page: Page | undefined;
  isError: boolean;
}

/** Its place is kept while the rows load: on a phone it has a line of its own, and everything below would move. */
function Tally<Page>({ tally, page, isError }: TallyProps<Page>) {
  if (page !== undefined) return <Badge>{tally(page)}</Badge>;
  return isError ? null : <Skeleton className="h-5.5 w-24" />;
}
