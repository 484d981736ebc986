import { Check, CircleAlert } from "lucide-react";
import { classNames } from "../basics/class-names.ts";

interface StepperProps {
  /** The accessible name. */
  label: string;
  steps: readonly string[];
  /** Index of the current step. The steps before it are done, unless they are incomplete. */
  current: number;
  /** Indexes of the steps that lack something. */
  incomplete?: ReadonlySet<number>;
  className?: string;
}

/** Progress through a row of steps. */
export function Stepper({ label, steps, current, incomplete, className }: StepperProps) {
  const stateOf = (index: number) =>
    index >= current ? undefined : incomplete?.has(index) ? "incomplete" : "done";
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
              stateOf(index) === "done" && "bg-brisket",
            )}
          >
            <span className="display grid size-7 shrink-0 place-items-center border-2 border-current text-base leading-none tabular-nums">
              <Mark state={stateOf(index)} number={index + 1} />
            </span>
            <span
              className={classNames(
                "min-w-0 text-sm leading-tight font-semibold sm:text-base",
                index !== current && "max-sm:sr-only",
              )}
            >
              {step}
              {stateOf(index) && <span className="sr-only"> ({stateOf(index)})</span>}
            </span>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Mark({ state, number }: { state: "done" | "incomplete" | undefined; number: number }) {
  if (state === "done") return <Check aria-hidden="true" className="size-4" strokeWidth={3} />;
  if (state === "incomplete")
    return <CircleAlert aria-hidden="true" className="size-4.5" strokeWidth={2.5} />;
  return number;
}
