import { Minus, Plus } from "lucide-react";
import { Button } from "../basics/button.tsx";

interface QuantityStepperProps {
  /** What is counted; part of the name of the buttons and the number. */
  label: string;
  value: number;
  min?: number;
  max: number;
  disabled?: boolean;
  /** The id of the text that explains the maximum. */
  describedBy?: string | undefined;
  onChange: (value: number) => void;
}

/** Minus, a number, plus. Stays between min and max. */
export function QuantityStepper({
  label,
  value,
  min = 0,
  max,
  disabled,
  describedBy,
  onChange,
}: QuantityStepperProps) {
  return (
    <div
      role="group"
      aria-label={`Quantity of ${label}`}
      className="inline-flex items-center border-2 border-ink bg-sheet text-ink"
    >
      <Button
        variant="ghost"
        size="icon"
        aria-label={`Decrease ${label}`}
        disabled={disabled || value <= min}
        onClick={() => onChange(value - 1)}
      >
        <Minus aria-hidden="true" className="size-5" strokeWidth={3} />
      </Button>
      <output aria-live="polite" className="display min-w-10 text-center text-2xl tabular-nums">
        {value}
      </output>
      <Button
        variant="ghost"
        size="icon"
        aria-label={`Increase ${label}`}
        aria-describedby={describedBy}
        disabled={disabled || value >= max}
        onClick={() => onChange(value + 1)}
      >
        <Plus aria-hidden="true" className="size-5" strokeWidth={3} />
      </Button>
    </div>
  );
}
