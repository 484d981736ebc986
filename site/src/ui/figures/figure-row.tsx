import type { ReactNode } from "react";

/** Figures side by side: two on a phone, four on a desktop. */
export function FigureRow({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-2 gap-3 max-2xs:grid-cols-1 sm:gap-4 lg:grid-cols-4">{children}</dl>;
}
