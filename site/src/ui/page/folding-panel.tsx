import { ChevronDown } from "lucide-react";
import { useId, useState, type ReactNode } from "react";
import { classNames } from "../basics/class-names.ts";

interface FoldingPanelProps {
  title: string;
  /** The total, shown beside the title while it is folded. */
  total?: ReactNode;
  children: ReactNode;
}

/** A quiet sheet that is open where there is room and folded on a phone. Its content loads only when it is opened. */
export function FoldingPanel({ title, total, children }: FoldingPanelProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(() => matchMedia("(width >= 40rem)").matches);
  return (
    <section aria-labelledby={id} className="min-w-0 border border-ink/20 bg-sheet">
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="flex min-h-11 cursor-pointer list-none items-center gap-3 p-4 max-2xs:flex-wrap sm:px-5 [&::-webkit-details-marker]:hidden">
          <h2 id={id} className="text-lg leading-tight font-bold">
            {title}
          </h2>
          {!isOpen && total !== undefined && (
            <span className="ml-auto font-bold whitespace-nowrap tabular-nums">{total}</span>
          )}
          <ChevronDown
            aria-hidden="true"
            strokeWidth={2.5}
            className={classNames(
              "size-5 shrink-0",
              (isOpen || total === undefined) && "ml-auto",
              isOpen && "rotate-180",
            )}
          />
        </summary>
        {isOpen && <div className="px-4 pb-4 sm:px-5 sm:pb-5">{children}</div>}
      </details>
    </section>
  );
}
