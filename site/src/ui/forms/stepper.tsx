import { Check } from "lucide-react";
import { classNames } from "../basics/class-names.ts";

interface StepperProps {
  /** The accessible name. */
  label: string;
  steps: readonly string[];
  /** Index of the current step; everything before it is done. */
  current: number;
  className?: string;
}

/** Progress through a row of steps. */
export function Stepper({ label, steps, current, className }: StepperProps) {
  return (
    <nav aria-label={label} className={className}>
      <ol className="flex flex-wrap border-t-2 border-l-2 border-ink">
        {steps.map((step, index) => (
          <li
            key={step}
            aria-current={index === current ? "step" : undefined}
            className={classNames(
              "flex flex-1 items-center gap-2 border-r-2 border-b-2 border-ink px-2.5 py-3 max-2xs:px-1.5 sm:px-4",
              index === current && "bg-ink text-paper max-sm:flex-none",
              index < current && "bg-brisket",
            )}
          >
            <span className="display grid size-7 shrink-0 place-items-center border-2 border-current text-base leading-none tabular-nums">
              {index < current ? <Check aria-hidden="true" className="size-4" strokeWidth={3} /> : index + 1}
            </span>
            <span
              className={classNames(
                "min-w-0 text-sm leading-tight font-semibold sm:text-base",
                index !== current && "max-sm:sr-only",
              )}
            >
              {step}
              {index < current && <span className="sr-only"> (done)</span>}
            </span>
          </li>
        ))}
      </ol>
    </nav>
  );
}
