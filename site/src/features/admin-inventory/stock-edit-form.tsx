// The fields of the edited row, below it across the table's width: each shows its whole value, with Save and Cancel visible
// on any screen.
import { Button } from "#ui/basics/button.tsx";
import { useEffect, useRef } from "react";
import { FieldError } from "#ui/forms/field.tsx";
import { focusFirstInvalid } from "#ui/forms/focus-invalid.ts";
import { Input } from "#ui/forms/input.tsx";
import type { Draft } from "./model.ts";
import type { StockEdit } from "./use-stock-edit.ts";

const fields = [
  ["name", "Name", "text", "col-span-full xl:col-span-1"],
  ["price", "Price", "decimal", ""],
  ["available", "Available", "numeric", ""],
  ["total", "Total", "numeric", ""],
] as const;

interface StockEditFormProps {
  edit: StockEdit;
  onType: (field: keyof Draft, value: string) => void;
  onSave: () => void;
  onCancel: () => void;
}

export function StockEditForm({ edit, onType, onSave, onCancel }: StockEditFormProps) {
  const { base, draft, problems, busy } = edit;
  const form = useRef<HTMLFormElement>(null);
  // Typing only removes problems, so the focus moves only after an attempt.
  const wrong = Object.values(problems).filter(Boolean).length;
  const before = useRef(wrong);
  useEffect(() => {
    if (wrong > before.current) focusFirstInvalid(form.current);
    before.current = wrong;
  }, [wrong]);
  return (
    <form
      ref={form}
      noValidate
      aria-label={`Edit ${base.name}`}
      className="grid grid-cols-2 items-start gap-3 pt-1 sm:grid-cols-[repeat(3,minmax(0,9rem))] xl:grid-cols-[minmax(0,1fr)_repeat(3,8rem)_auto]"
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
        focusFirstInvalid(event.currentTarget);
      }}
    >
      {fields.map(([name, label, inputMode, span]) => (
        <div key={name} className={span}>
          <label>
            <span className="mb-1 block text-sm text-ink-soft">{label}</span>
            <Input
              dense
              aria-label={`${label} of ${base.name}`}
              aria-invalid={problems[name] ? true : undefined}
              aria-describedby={problems[name] ? `${base.id}-${name}` : undefined}
              inputMode={inputMode}
              value={draft[name]}
              onChange={(event) => onType(name, event.target.value)}
              onKeyDown={(event) => event.key === "Escape" && onCancel()}
            />
          </label>
          {problems[name] && (
            <span className="mt-1 block">
              <FieldError id={`${base.id}-${name}`}>{problems[name]}</FieldError>
            </span>
          )}
        </div>
      ))}
      <span className="col-span-full flex gap-2 xl:col-span-1 xl:pt-6">
        <Button type="submit" size="small" busy={busy}>
          Save
        </Button>
        <Button size="small" variant="secondary" disabled={busy} onClick={onCancel}>
          Cancel
        </Button>
      </span>
      {problems.form && (
        <div className="col-span-full">
          <FieldError>{problems.form}</FieldError>
        </div>
      )}
    </form>
  );
}
