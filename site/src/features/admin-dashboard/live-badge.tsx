import type { ReactNode } from "react";

/** Says that what it stands beside moves by itself. */
export function LiveBadge({ children }: { children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-2 border border-bayou-deep px-2.5 py-1 text-sm leading-none font-bold text-bayou-deep">
      <span aria-hidden="true" className="size-2 animate-pulse-ink rounded-full bg-bayou" />
      {children}
    </span>
  );
}
