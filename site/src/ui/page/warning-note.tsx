import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";

/** Explains why something on the screen cannot be done right now. */
export function WarningNote({ children }: { children: ReactNode }) {
  return (
    <p
      role="status"
      className="mb-4 flex items-start gap-3 border-l-4 border-candy-deep bg-candy/8 px-3 py-2 font-semibold"
    >
      <CircleAlert aria-hidden="true" className="mt-0.5 size-4.5 shrink-0 text-candy-deep" />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </p>
  );
}
