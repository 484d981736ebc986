// A dialog that must be answered. With `cancelLabel` it asks for confirmation; without, it informs and has
// one button.
import * as Primitive from "radix-ui/alert-dialog";
import { useRef, type ReactNode, type Ref } from "react";
import { Button } from "../basics/button.tsx";
import { focusFirstInvalid } from "../forms/focus-invalid.ts";
import { useFocusReturn } from "./focus-return.ts";
import { sheetLook, veilLook } from "./sheet-look.ts";
import { useUnsentText } from "./unsent-text.ts";

interface AlertDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  children?: ReactNode;
  confirmLabel: string;
  cancelLabel?: string;
  /** The confirming button is destructive. */
  destructive?: boolean;
  onConfirm?: () => void;
  /**
   * Makes it a form. It stays open until `open` is false, so that typed text survives a failure. Escape asks before it
   * loses text; the cancelling button is an answer.
   */
  fields?: ReactNode;
  /** The form is being submitted. */
  busy?: boolean;
}

export function AlertDialog({
  open,
  onOpenChange,
  title,
  children,
  confirmLabel,
  cancelLabel,
  destructive,
  onConfirm,
  fields,
  busy = false,
}: AlertDialogProps) {
  const confirm = useRef<HTMLButtonElement>(null);
  const { remember, onCloseAutoFocus } = useFocusReturn();
  const { asking, setAsking, noteFields, asksFirst } = useUnsentText(undefined);
  return (
    <Primitive.Root open={open} onOpenChange={onOpenChange}>
      <Primitive.Portal>
        <Primitive.Overlay className={veilLook} />
        <Primitive.Content
          className={sheetLook}
          onFocus={noteFields}
          onPointerDownCapture={noteFields}
          onEscapeKeyDown={(event) => asksFirst() && event.preventDefault()}
          onCloseAutoFocus={onCloseAutoFocus}
          onOpenAutoFocus={(event) => {
            remember();
            const field = (event.currentTarget as HTMLElement).querySelector("input");
            if (cancelLabel && !field) return;
            // Radix focuses the cancel button; here there is a field to fill in, or only one button.
            event.preventDefault();
            (field ?? confirm.current)?.focus({ preventScroll: true });
          }}
          {...(children ? {} : { "aria-describedby": undefined })}
        >
          <Primitive.Title className="display text-heading">{title}</Primitive.Title>
          {children && (
            <Primitive.Description asChild>
              <div className="mt-3">{children}</div>
            </Primitive.Description>
          )}
          <Answers
            {...{ confirmLabel, cancelLabel, destructive, fields, busy }}
            confirmRef={confirm}
            onConfirm={onConfirm}
          />
          {fields !== undefined && (
            <DiscardQuestion open={asking} onOpenChange={setAsking} onDiscard={() => onOpenChange(false)} />
          )}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

interface DiscardQuestionProps extends Pick<AlertDialogProps, "open" | "onOpenChange"> {
  onDiscard: () => void;
}

/** Asked before a dialog closes over typed text or a choice that was not applied. */
export function DiscardQuestion({ onDiscard, ...asked }: DiscardQuestionProps) {
  return (
    <AlertDialog
      {...asked}
      title="Discard your changes?"
      confirmLabel="Discard"
      cancelLabel="Keep Editing"
      destructive
      onConfirm={onDiscard}
    />
  );
}

interface AnswersProps {
  confirmLabel: string;
  cancelLabel: string | undefined;
  destructive: boolean | undefined;
  fields: ReactNode;
  busy: boolean;
  confirmRef: Ref<HTMLButtonElement>;
  onConfirm: (() => void) | undefined;
}

/** The buttons. With fields above them they belong to a form, which does not close on submit. */
function Answers({
  confirmLabel,
  cancelLabel,
  destructive,
  fields,
  busy,
  confirmRef,
  onConfirm,
}: AnswersProps) {
  const isForm = fields !== undefined;
  const variant = destructive ? "danger" : "primary";
  const buttons = (
    <div className="mt-7 flex flex-wrap justify-end gap-3 max-xs:*:grow">
      {cancelLabel && (
        <Primitive.Cancel asChild>
          <Button variant="secondary">{cancelLabel}</Button>
        </Primitive.Cancel>
      )}
      {isForm ? (
        <Button type="submit" busy={busy} variant={variant}>
          {confirmLabel}
        </Button>
      ) : (
        <Primitive.Action asChild onClick={onConfirm}>
          <Button ref={confirmRef} variant={variant}>
            {confirmLabel}
          </Button>
        </Primitive.Action>
      )}
    </div>
  );
  if (!isForm) return buttons;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) onConfirm?.();
        focusFirstInvalid(event.currentTarget);
      }}
    >
      {fields}
      {buttons}
    </form>
  );
}
