import * as Primitive from "radix-ui/popover";
import type { ReactElement, ReactNode } from "react";
import { classNames } from "../basics/class-names.ts";

interface PopoverProps {
  /** The button that opens it. */
  trigger: ReactElement;
  label: string;
  children: ReactNode;
  align?: "start" | "center" | "end";
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  className?: string;
}

export function Popover({
  trigger,
  label,
  children,
  align = "end",
  open,
  onOpenChange,
  className,
}: PopoverProps) {
  return (
    <Primitive.Root {...(open === undefined ? {} : { open })} {...(onOpenChange ? { onOpenChange } : {})}>
      <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          aria-label={label}
          align={align}
          sideOffset={8}
          collisionPadding={12}
          className={classNames(
            "z-50 w-80 max-w-[calc(100vw-1.5rem)] border-2 border-ink bg-paper text-ink shadow-[6px_6px_0_0_var(--color-ink)] outline-none",
            className,
          )}
        >
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
