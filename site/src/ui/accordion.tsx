import { Plus } from "lucide-react";
import * as Primitive from "radix-ui/accordion";
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

export interface AccordionItem {
  id: string;
  title: ReactNode;
  content: ReactNode;
}

interface AccordionProps {
  items: readonly AccordionItem[];
  /** The open item, when the caller holds it (several accordions that share one open place). "" is none. */
  value?: string;
  onValueChange?: (value: string) => void;
  headingLevel?: "h2" | "h3" | "h4";
  className?: string;
}

/** One open at a time, and the open one closes on a second press. Closed text stays in the page, so it is found without script. */
export function Accordion({
  items,
  value,
  onValueChange,
  headingLevel: Heading = "h3",
  className,
}: AccordionProps) {
  return (
    <Primitive.Root
      type="single"
      collapsible
      {...(value === undefined ? {} : { value })}
      {...(onValueChange ? { onValueChange } : {})}
      className={classNames("border-t-2 border-ink", className)}
    >
      {items.map((item) => (
        <Primitive.Item key={item.id} value={item.id} className="border-b-2 border-ink">
          <Primitive.Header asChild>
            <Heading>
              <Primitive.Trigger className="group flex w-full items-center justify-between gap-4 py-4 text-left text-lg leading-snug font-semibold hover:text-candy-deep">
                {item.title}
                <span className="grid size-8 shrink-0 place-items-center border-2 border-ink bg-sheet text-ink transition-[rotate,background-color] duration-200 group-data-[state=open]:rotate-45 group-data-[state=open]:bg-brisket">
                  <Plus aria-hidden="true" className="size-5" strokeWidth={3} />
                </span>
              </Primitive.Trigger>
            </Heading>
          </Primitive.Header>
          <Primitive.Content forceMount className="data-[state=closed]:hidden">
            <div className="max-w-prose pb-5">{item.content}</div>
          </Primitive.Content>
        </Primitive.Item>
      ))}
    </Primitive.Root>
  );
}
