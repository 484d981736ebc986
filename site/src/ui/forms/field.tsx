// A labeled field. The control inside gets its id and its messages through context, so `<Field label="Email"
// error={…}><Input {...register("email")} /></Field>` is accessible as it is.
import { createContext, use, useEffect, useId, useRef, type ReactNode } from "react";
import { classNames } from "../basics/class-names.ts";
import { sayProblem } from "./said-problems.ts";
import { useTooLong } from "./use-too-long.ts";

interface Wiring {
  id: string;
  required: boolean;
  invalid: boolean;
  describedBy: string | undefined;
}

const FieldContext = createContext<Wiring | undefined>(undefined);

/** The attributes of a control inside a Field; empty outside of one. */
export function useFieldControl() {
  const field = use(FieldContext);
  if (!field) return {};
  return {
    id: field.id,
    "aria-required": field.required || undefined,
    "aria-invalid": field.invalid || undefined,
    "aria-describedby": field.describedBy,
  };
}

export interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  /** The most characters; a longer text is named as a mistake. */
  limit?: number;
  /** Marks the label; the rule itself belongs to the form's schema. */
  required?: boolean;
  className?: string;
  children: ReactNode;
}

export function Field({ label, hint, error, limit, required = false, className, children }: FieldProps) {
  const box = useRef<HTMLDivElement>(null);
  const long = useTooLong(box, limit);
  const problem = long ?? error;
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const describedBy = [hint && hintId, problem && errorId].filter(Boolean).join(" ") || undefined;
  return (
    <FieldContext value={{ id, required, invalid: Boolean(problem), describedBy }}>
      <div ref={box} className={classNames("flex min-w-0 flex-col gap-1.5", className)}>
        {/* The star is outside the label, so it is not part of the field's name. */}
        <p className="font-semibold">
          <label htmlFor={id}>{label}</label>
          {required && (
            <span aria-hidden="true" className="ml-1 text-candy-deep">
              *
            </span>
          )}
        </p>
        {children}
        {hint && (
          <p id={hintId} className="text-sm text-ink-soft">
            {hint}
          </p>
        )}
        {problem && (
          // Announced once, not at every character.
          <FieldError key={long ? "too long" : error} id={errorId}>
            {problem}
          </FieldError>
        )}
      </div>
    </FieldContext>
  );
}

/**
 * The message under a field, announced together with the others that appear at once; `id` is what the field is described by.
 * Without one, it is about the whole form, and an alert of its own.
 */
export function FieldError({ id, children }: { id?: string; children: ReactNode }) {
  const shown = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    return id === undefined ? undefined : sayProblem(shown.current!);
  }, [id]);
  return (
    <p
      ref={shown}
      id={id}
      role={id === undefined ? "alert" : undefined}
      data-problem=""
      className="border-l-4 border-candy pl-2 text-sm font-semibold text-candy-deep"
    >
      {children}
    </p>
  );
}
