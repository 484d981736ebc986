import type { ReactNode } from "react";
import { Button } from "#ui/basics/button.tsx";
import { FieldError } from "#ui/forms/field.tsx";

interface DialogFormProps {
  /** Label of the submitting button. */
  submit: string;
  busy: boolean;
  problem: string | undefined;
  onSubmit: () => void;
  onCancel: () => void;
  children: ReactNode;
}

/** A dialog's fields, what went wrong, and both ways out. */
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
      <div className="flex flex-wrap justify-end gap-3">
        <Button variant="secondary" size="small" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" size="small" busy={busy}>
          {submit}
        </Button>
      </div>
    </form>
  );
}
