// A modal dialog. Radix traps the focus and closes on Escape, on the cross and on a press outside; each asks first when typed
// text would be lost.
import { X } from "lucide-react";
import * as Primitive from "radix-ui/dialog";
import type { ReactNode } from "react";
import { classNames } from "../basics/class-names.ts";
import { focusFirstInvalid } from "../forms/focus-invalid.ts";
import { DiscardQuestion } from "./alert-dialog.tsx";
import { focusHeading } from "./focus-kept.ts";
import { useFocusReturn } from "./focus-return.ts";
import { sheetLook, veilLook } from "./sheet-look.ts";
import { useUnsentText } from "./unsent-text.ts";

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
  /** Whether closing would lose something. Needed where that is not text in a field that is shown. */
  unsaved?: boolean;
}

export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  actions,
  className,
  unsaved,
}: DialogProps) {
  const { remember, onCloseAutoFocus } = useFocusReturn();
  const { asking, setAsking, noteFields, asksFirst } = useUnsentText(unsaved);
  return (
    <Primitive.Root open={open} onOpenChange={(next) => (next || !asksFirst()) && onOpenChange(next)}>
      <Primitive.Portal>
        <Primitive.Overlay className={veilLook} />
        <Primitive.Content
          className={classNames(sheetLook, className)}
          onOpenAutoFocus={(event) => {
            remember();
            focusContent(event);
          }}
          onCloseAutoFocus={onCloseAutoFocus}
          onFocus={noteFields}
          onPointerDownCapture={noteFields}
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
          <DiscardQuestion open={asking} onOpenChange={setAsking} onDiscard={() => onOpenChange(false)} />
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

/** When only the close button can receive focus yet, focus the heading: a screen reader then reads more. */
function focusContent(event: Event) {
  const sheet = event.currentTarget as HTMLElement;
  if (sheet.querySelectorAll("a[href], button, input, select, textarea").length > 1) return;
  event.preventDefault();
  focusHeading(sheet);
}
