import { useId, type ComponentProps, type ReactNode } from "react";
import { classNames } from "../basics/class-names.ts";
import { FieldError } from "./field.tsx";

interface RadioCardOption {
  value: string;
  label: ReactNode;
  description?: ReactNode;
}

interface RadioCardsProps extends Omit<ComponentProps<"input">, "type" | "value"> {
  legend: ReactNode;
  options: readonly RadioCardOption[];
  error?: string | undefined;
  /** Marks the legend; the rule itself belongs to the form's schema. */
  required?: boolean;
  /** The chosen value, when the parent controls it. Omit it with `register()`. */
  value?: string;
}

/** One choice out of a few, each a card. Native radios, so arrow keys and forms work without code. */
export function RadioCards({ legend, options, error, required, value, className, ...rest }: RadioCardsProps) {
  const errorId = useId();
  return (
    <fieldset
      aria-invalid={error ? true : undefined}
      aria-describedby={error ? errorId : undefined}
      className={classNames("min-w-0", className)}
    >
      <legend className="mb-1.5 font-semibold">
        {legend}
        {required && (
          <span aria-hidden="true" className="ml-1 text-candy-deep">
            *
          </span>
        )}
      </legend>
      <div className="grid gap-3 xs:grid-cols-2">
        {options.map((option) => (
          <label
            key={option.value}
            className="relative flex cursor-pointer items-start gap-3 border-2 border-ink bg-sheet p-3.5 transition-colors has-checked:bg-ink has-checked:text-paper has-focus-visible:outline-3 has-focus-visible:outline-offset-3 has-focus-visible:outline-(--focus)"
          >
            <input
              type="radio"
              value={option.value}
              {...(value === undefined ? {} : { checked: value === option.value })}
              className="mt-1 size-4.5 shrink-0 accent-candy outline-none"
              {...rest}
            />
            <span className="min-w-0">
              <span className="block font-semibold">{option.label}</span>
              {option.description && <span className="block text-sm opacity-85">{option.description}</span>}
            </span>
          </label>
        ))}
      </div>
      {error && (
        <div className="mt-1.5">
          <FieldError key={error} id={errorId}>
            {error}
          </FieldError>
        </div>
      )}
    </fieldset>
  );
}
