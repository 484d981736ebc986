import * as Primitive from "radix-ui/tabs";
import type { ReactNode } from "react";
import { classNames } from "../basics/class-names.ts";

interface Tab {
  value: string;
  label: ReactNode;
  content: ReactNode;
  disabled?: boolean;
}

interface TabsProps {
  label: string;
  tabs: readonly Tab[];
  defaultValue?: string;
  value?: string;
  onValueChange?: (value: string) => void;
  className?: string;
}

export function Tabs({ label, tabs, defaultValue, value, onValueChange, className }: TabsProps) {
  return (
    <Primitive.Root
      {...(value === undefined ? { defaultValue: defaultValue ?? tabs[0]?.value ?? "" } : { value })}
      {...(onValueChange ? { onValueChange } : {})}
      className={classNames("min-w-0", className)}
    >
      <Primitive.List aria-label={label} className="flex border-2 border-ink">
        {tabs.map((tab) => (
          <Primitive.Trigger
            key={tab.value}
            value={tab.value}
            disabled={tab.disabled}
            className="flex min-h-12 min-w-0 flex-1 items-center justify-center gap-2 px-3 py-2 font-semibold not-first:border-l-2 not-first:border-ink hover:bg-paper-deep disabled:cursor-not-allowed disabled:opacity-55 data-[state=active]:bg-ink data-[state=active]:text-paper"
          >
            {tab.label}
          </Primitive.Trigger>
        ))}
      </Primitive.List>
      {tabs.map((tab) => (
        <Primitive.Content key={tab.value} value={tab.value} className="pt-5">
          {tab.content}
        </Primitive.Content>
      ))}
    </Primitive.Root>
  );
}
