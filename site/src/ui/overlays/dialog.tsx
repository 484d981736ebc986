// A modal dialog. Radix traps the focus and closes on Escape.
import { X } from "lucide-react";
import * as Primitive from "radix-ui/dialog";
import type { ReactNode } from "react";
import { classNames } from "../basics/class-names.ts";
import { focusFirstInvalid } from "../forms/focus-invalid.ts";
import { focusHeading } from "./focus-kept.ts";
import { useFocusReturn } from "./focus-return.ts";

export const sheetLook =
  "fixed top-1/2 left-1/2 z-50 max-h-[calc(100dvh-8*var(--spacing))] w-[calc(100vw-8*var(--spacing))] max-w-xl -translate-x-1/2 -translate-y-1/2 overflow-y-auto border-4 border-ink bg-paper p-6 text-ink wrap-break-word shadow-[10px_10px_0_0_var(--color-candy)] outline-none sm:p-8";
export const veilLook = "fixed inset-0 z-50 bg-ink/70 animate-fade-in";

interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  /** One sentence under the title. */
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons at the bottom. */
  actions?: ReactNode;
  className?: string;
}

export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  actions,
  className,
}: DialogProps) {
  const { remember, onCloseAutoFocus } = useFocusReturn();
  return (
    <Primitive.Root open={open} onOpenChange={onOpenChange}>
      <Primitive.Portal>
        <Primitive.Overlay className={veilLook} />
        <Primitive.Content
          className={classNames(sheetLook, className)}
          onOpenAutoFocus={(event) => {
            remember();
            focusContent(event);
          }}
          onCloseAutoFocus={onCloseAutoFocus}
          onSubmit={({ currentTarget }) => focusFirstInvalid(currentTarget)}
          {...(description ? {} : { "aria-describedby": undefined })}
        >
          <Primitive.Title className="display pr-10 text-heading">{title}</Primitive.Title>
          {description && (
            <Primitive.Description className="mt-2 text-ink-soft">{description}</Primitive.Description>
          )}
          {children && <div className="mt-5">{children}</div>}
          {actions && <div className="mt-7 flex flex-wrap justify-end gap-3 max-xs:*:grow">{actions}</div>}
          <Primitive.Close
            aria-label="Close"
            className="absolute top-4 right-4 grid size-11 place-items-center hover:bg-ink/8"
          >
            <X aria-hidden="true" className="size-6" strokeWidth={3} />
          </Primitive.Close>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

/** When only the close button can receive focus yet, focus the heading, which tells a screen reader more. */
function focusContent(event: Event) {
  const sheet = event.currentTarget as HTMLElement;
  if (sheet.querySelectorAll("a[href], button, input, select, textarea").length > 1) return;
  event.preventDefault();
  focusHeading(sheet);
}
