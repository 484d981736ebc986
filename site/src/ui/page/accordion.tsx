import { Plus } from "lucide-react";
import { useId, useRef, type KeyboardEvent, type ReactNode } from "react";
import { classNames } from "../basics/class-names.ts";

interface AccordionItem {
  id: string;
  title: ReactNode;
  content: ReactNode;
}

interface AccordionProps {
  items: readonly AccordionItem[];
  /** The open item, or "" for none. The parent controls it, so that several accordions can share one open item. */
  value: string;
  onValueChange: (value: string) => void;
  headingLevel?: "h2" | "h3" | "h4";
  className?: string;
}

/**
 * One item open at a time; a second press closes it. Closed text stays in the page, readable without script. Custom instead
 * of Radix's, which measures every answer when the page starts: docs/decisions/030-page-start.md.
 */
export function Accordion({
  items,
  value,
  onValueChange,
  headingLevel: Heading = "h3",
  className,
}: AccordionProps) {
  const name = useId();
  const root = useRef<HTMLDivElement>(null);

  /** Arrows, Home and End move between the questions. */
  function onKeyDown(event: KeyboardEvent<HTMLButtonElement>) {
    const questions = [...root.current!.querySelectorAll("button")];
    const here = questions.indexOf(event.currentTarget);
    const steps: Record<string, number> = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: -1 };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    questions.at(next % questions.length)?.focus();
  }

  return (
    <div ref={root} className={classNames("border-t-2 border-ink", className)}>
      {items.map(({ id, title, content }) => {
        const open = id === value;
        return (
          <div key={id} className="border-b-2 border-ink">
            <Heading>
              <button
                type="button"
                aria-expanded={open}
                aria-controls={`${name}-${id}`}
                onClick={() => onValueChange(open ? "" : id)}
                onKeyDown={onKeyDown}
                className="group flex w-full items-center justify-between gap-4 py-4 text-start text-lg leading-snug font-semibold wrap-anywhere hover:text-candy-deep"
              >
                {title}
                <span className="grid size-8 shrink-0 place-items-center border-2 border-ink bg-sheet text-ink transition-[rotate,background-color] duration-200 group-aria-expanded:rotate-45 group-aria-expanded:bg-brisket">
                  <Plus aria-hidden="true" className="size-5" strokeWidth={3} />
                </span>
              </button>
            </Heading>
            <div id={`${name}-${id}`} hidden={!open} data-folded>
              <div className="max-w-prose pb-5 whitespace-pre-line">{content}</div>
            </div>
          </div>
        );
      })}
    </div>
  );
}
