import { useId, type ComponentProps, type ReactNode } from "react";
import { classNames } from "../basics/class-names.ts";
import { FieldError } from "./field.tsx";

interface CheckboxProps extends Omit<ComponentProps<"input">, "type"> {
  label: ReactNode;
  error?: string | undefined;
}

/** A native checkbox with its label. Works with `register()` and without script. */
export function Checkbox({ label, error, className, ...rest }: CheckboxProps) {
  const errorId = useId();
  return (
    <div className={classNames("flex flex-col gap-1.5", className)}>
      <label className="flex cursor-pointer items-start gap-3">
        <input
          type="checkbox"
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? errorId : undefined}
          className="mt-0.5 size-5.5 shrink-0 accent-slab"
          {...rest}
        />
        <span>{label}</span>
      </label>
      {error && (
        <FieldError key={error} id={errorId}>
          {error}
        </FieldError>
      )}
    </div>
  );
}
