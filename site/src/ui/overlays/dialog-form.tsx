import type { ReactNode } from "react";
import { FieldError } from "../forms/field.tsx";
import { DialogButtons } from "./dialog-buttons.tsx";

interface DialogFormProps {
  /** Label of the submitting button. */
  submit: string;
  busy: boolean;
  problem?: string | undefined;
  onSubmit: () => void;
  onCancel: () => void;
  children: ReactNode;
}

/** A dialog's fields, its error message, and its two buttons. */
export function DialogForm({ submit, busy, problem, onSubmit, onCancel, children }: DialogFormProps) {
  return (
    <form
      noValidate
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) onSubmit();
      }}
    >
      {children}
      {problem && <FieldError>{problem}</FieldError>}
      <DialogButtons submit={submit} busy={busy} onCancel={onCancel} />
    </form>
  );
}
