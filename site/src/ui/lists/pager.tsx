import { Button } from "../basics/button.tsx";

export interface PagerProps {
  /** From 1. */
  page: number;
  pages: number;
  /** There are more pages than were counted. */
  more?: boolean;
  onPrevious: () => void;
  /** Undefined on the last page. */
  onNext: (() => void) | undefined;
  /** Names the list for screen readers. */
  label: string;
}

/** Previous and Next with "Page X of Y"; nothing when there is only one page. */
export function Pager({ page, pages, more = false, onPrevious, onNext, label }: PagerProps) {
  if (pages <= 1) return null;
  return (
    <nav aria-label={label} className="mt-4 flex flex-wrap items-center justify-between gap-3">
      <Turn onTurn={page > 1 ? onPrevious : undefined}>Previous</Turn>
      <p aria-live="polite" className="text-[0.9375rem] tabular-nums">
        Page {page} of {pages.toLocaleString("en-US")}
        {more && "+"}
      </p>
      <Turn onTurn={onNext}>Next</Turn>
    </nav>
  );
}

function Turn({ onTurn, children }: { onTurn: (() => void) | undefined; children: string }) {
  return (
    <Button variant="secondary" size="small" disabled={!onTurn} onClick={onTurn}>
      {children}
    </Button>
  );
}
